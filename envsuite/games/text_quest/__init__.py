"""TextQuest: a text adventure with rooms, keys, containers and recipes, played with commands in words (TextWorld).

**Rules.** A house has rooms with exits to the north, east, south and west. Some exits have doors. Things lie on the
floor, on furniture, or in containers. Doors and containers are open, closed or locked; a key opens one lock. The player
sees what is in its room, except what is in something closed. Each turn it gives one command.

| `task` | goal |
|---|---|
| `quest` | Reach the goal of a chain of `quest_length` commands, such as a chest that must be opened. |
| `coin` | Take the coin, at the other end of a chain of `quest_length` rooms. Other rooms branch off. |
| `treasure` | Take one of two things. Taking the other one fails. |
| `cooking` | Eat a meal: read the cookbook, get the ingredients, treat them as the recipe says, and prepare the meal. |

A recipe says for each ingredient whether it is fried, roasted or grilled, and whether it is sliced, diced or chopped.
The stove fries, the oven roasts, and the grill grills. Cutting needs the knife. Food that is cooked twice burns. The
meal is prepared in the kitchen with all ingredients in the player's hands. It is a failure to eat or burn an
ingredient, or to cook or cut it in another way.

**Agents.** One, `player`.

**Observation.** Dict. Rooms and things have fixed numbers, listed below. A place is the number of the thing that
something is in or on, 64 if the player carries it, or 66 plus the number of a room.

| part | space | content |
|---|---|---|
| room | Discrete (20) | the player's room |
| exits | Box (4,) int8 | 1 for each exit: north, east, south, west |
| doors | Box (4,) int8 | the door of each exit, -1 for none |
| places | Box (64,) int8 | the place of each thing that the player sees, otherwise -1 |
| states | Box (64,) int32 | the states of each thing that the player sees, a bit each |
| task | Discrete (4) | the task, in the order above |
| goal | Box (4, 3) int32 | facts of the goal: kind, thing or room, place or states; 0 where there is none |
| steps | Box (128,) int16 | with `instructions` "steps", commands that reach the goal; otherwise -1 |
| recipe | Box (5, 3) int8 | once it has been read: food, way to cook, way to cut; -1, 0, 0 where there is none |

| things | numbers |
|---|---|
| doors, such as the iron gate | 0-9 |
| containers, the fridge, the oven | 10-15, 16, 17 |
| furniture, the stove, the grill | 18-24, 25, 26 |
| keys | 27-34 |
| foods, the meal | 35-46, 47 |
| the cookbook, the knife, the coin, other things | 48, 49, 50, 51-63 |

Rooms are, from 0 on: kitchen, pantry, hall, living room, bedroom, bathroom, study, attic, cellar, garage, garden, shed,
library, workshop, office, gallery, nursery, laundry, studio, yard.

The bits of states, from bit 0 on, are open, locked, four that are not used, sliced, cooked, raw, needs cooking,
inedible, fried, roasted, grilled, burned, uncut, diced, chopped, eaten. The kinds of facts are 1: a thing is in a
place; 2: the player is in a room; 3: a thing has all of some states; 4: it has none of them. Ways to cook are 1 fried,
2 roasted, 3 grilled; ways to cut are 1 sliced, 2 diced, 3 chopped.

**Actions.** Discrete (1189), a command for each verb and all its things. Only commands about things that the player
sees are legal.

| action | name | legal |
|---|---|---|
| 0-3 | `go north` ... | if there is an exit, without a door or with an open one |
| 4, 5 | `look`, `inventory` | always |
| 6-69 | `examine table` ... | if the thing is seen; to examine the cookbook is to read it |
| 70-106, 107-143 | `take hat` ..., `drop hat` ... | if the thing is not carried; if it is carried |
| 144-476, 477-772 | `put hat on table` ..., `insert hat into chest` ... | if it is carried; containers must be open |
| 773-790, 791-808 | `open chest` ..., `close chest` ... | if it is closed and not locked; if it is open |
| 809-952, 953-1096 | `lock chest with gold key` ..., `unlock chest with gold key` ... | with its key in the hands |
| 1097-1109 | `eat apple` ... | if the food is carried, and not raw meat and the like |
| 1110-1148 | `cook carrot with stove` ... | if the food is carried and not burned |
| 1149-1161, 1162-1174, 1175-1187 | `slice carrot with knife` ..., `dice` ..., `chop` ... | if both are carried |
| 1188 | `prepare meal` | in the kitchen, with all ingredients of the recipe as it says |

**Window.** The picture lists the possible commands; a click on one gives it.

**Rewards.** 1 when the goal is reached. With `rewards` "steps", the steps towards the goal, such as an opened lock or a
sliced carrot, share this 1 equally; the last command gives what is left.

**Ends.** Terminates when the goal is reached, and at a failure. Truncated after `max_steps` commands.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "quest" | one of the tasks above |
| `quest_length` | 5 | commands of the quest, or rooms of the coin's chain, from 1 to 20 |
| `rooms` | 5 | number of rooms, from 1 to 20 |
| `things` | 10 | pieces of furniture and things that the goal does not need, from 2 to 24 |
| `obstacles` | "locked" | doors and containers: "none", "closed" or "locked" |
| `ingredients` | 3 | ingredients of the recipe, from 1 to 5 |
| `preparation` | "both" | what recipes ask for: "none", "cut", "cook" or "both" |
| `instructions` | "goal" | what the player is told: "nothing", "goal", or "steps": goal and commands |
| `rewards` | "goal" | "goal" or "steps" |
| `max_steps` | 80 | commands of an episode, from 1 to 10,000 |

**Level.** ``{"agent": "hall", "exits": [["hall", "east", "study", "oak door"]], "things": [["oak door", null,
"locked"], ["chest", "hall"], ["gold key", "chest"], ["book", "study"]], "opens": {"gold key": "oak door"}, "quests":
[[["book", "at", "agent"]]]}``. A thing has its place and its states. The last quest is the goal; each quest is a list
of facts. `envsuite generate quests` makes levels, with a train and a test split.

**Language agents.** `env.prompt("player")` describes the game and the goal, `env.tools("player")` lists a function for
each verb, and `env.reply("player")` is the result of the last command, as in a transcript: "You open the chest. In the
chest is a gold key." Other wordings are understood too, such as "pick up the hat" and "put the hat onto the table".

**Known values.** TextWorld's game with 5 rooms, 10 objects, a quest of length 5 and seed 1234 is solved by: take the
key, unlock the door, open it, go east, take the hat. In 36 of its games, 2,839 recorded steps are equal.

**Differences.** From TextWorld. In games of its four generators, the admissible commands, effects, scores and ends are
equal, but for these:

- Names are fixed: 64 things, 20 rooms. So commands can be numbered, and observed as numbers.
- Quests and houses are drawn by our own generators, with other distributions.
- `prepare meal` is possible only when all ingredients are as the recipe says. There it is listed before, and refused.
- In its cooking games, things that are carried and doors cannot be examined. Here they can.
- There, a game is lost when its goal can no longer be reached, for example because food was eaten. Here it goes on.
- A command that is not possible is an error that changes nothing, as everywhere in this package. There it is answered.
- Drinks, a limit on what can be carried, and its other themes are left out.

**Source.** Côté et al., "TextWorld: A Learning Environment for Text-based Games", 2018; Yuan et al., "Counting to
Explore and Generalize in Text-based Games", 2018 (coin); Adhikari et al., "Learning Dynamic Belief Graphs to Generalize
on Text-Based Games", 2020 (cooking); microsoft/TextWorld 1.7.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import among, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.text_quest import pages, pictures, terms, view
from envsuite.games.text_quest.levels import Obstacles, Preparation, Quests, Task, make
from envsuite.games.text_quest.reading import read_level, unreadable, write_level
from envsuite.games.text_quest.rules import act, allow, share_done, update_quests, won
from envsuite.games.text_quest.terms import TASKS
from envsuite.kit.things import (
    GONE,
    MOST,
    ROOM,
    STATES,
    copy_things,
    look_around,
    observe_things,
    parts,
    seen_fields,
    tangled,
)
from envsuite.kit.things import fields as thing_fields
from envsuite.registry import pettingzoo_forms

INSTRUCTIONS = ("nothing", "goal", "steps")
NOTHING, ONLY_GOAL, ALL_STEPS = range(3)
REWARDS = ("goal", "steps")

#: The facts of the goal that are observed at most.
GOAL = 4


def fields(made: Quests) -> list[tuple]:
    """The record."""
    return [
        *made.fields,  # level: the start and the goal; room for its draws
        *thing_fields(len(terms.ROOMS)),  # where the agent and all things are now
        *seen_fields(),
        ("done", flag(), (terms.QUESTS,)),  # whether each quest is done
        ("read", flag(np.int64)),  # whether the agent has read the recipe
        ("last", within(np.int64, -1, len(terms.TABLE) - 1)),  # the last command, -1 before the first one
        # where the first thing of the last command was before
        ("source", within(np.int64, 0, ROOM + len(terms.ROOMS) - 1)),
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    copy_things(s, s.level)
    fill(s.done, 0)
    s.read = 0
    s.last = -1
    s.source = GONE
    update_quests(s)
    look_around(s, terms.TRAITS, ROOM + s.room)


@kernel
def step(s, actions, rewards):
    action = np.int64(actions[0])
    verb, one, other = (
        np.int64(terms.TABLE[action, 0]),
        np.int64(terms.TABLE[action, 1]),
        np.int64(terms.TABLE[action, 2]),
    )
    before = share_done(s)
    s.last = action
    s.source = s.places[one]
    act(s, verb, one, other)
    look_around(s, terms.TRAITS, ROOM + s.room)
    failed = update_quests(s)
    if s.params.rewards:
        rewards[0] = share_done(s) - before
    elif won(s) and not failed:
        rewards[0] = 1.0
    if failed or won(s):
        s.terminated[0] = 1
    elif s.t >= s.params.max_steps:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    observe_things(s, out)
    told = s.params.instructions
    for k in range(GOAL):
        for part in range(3):
            out.goal[k, part] = 0
    found = 0
    for k in range(terms.FACTS):
        if told == NOTHING or found == GOAL or s.level.facts[k, 1] == terms.NO_FACT:
            break
        if s.level.facts[k, 0] == s.level.quests - 1:
            for part in range(3):
                out.goal[found, part] = s.level.facts[k, part + 1]
            found += 1
    for k in range(terms.PLAN):
        out.steps[k] = s.level.plan[k] if told == ALL_STEPS else -1
    out.task = s.level.task
    for k in range(terms.INGREDIENTS):
        out.recipe[k, 0] = s.level.recipe[k, 0] if s.read else -1
        out.recipe[k, 1] = s.level.recipe[k, 1] if s.read else 0
        out.recipe[k, 2] = s.level.recipe[k, 2] if s.read else 0


@kernel
def legal(s, agent, mask):
    allow(s, mask)


class TextQuest(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    optimization = 1  # 3 takes a third longer here and makes nothing faster
    turns = "sequential"
    kind = ("text", "rooms")
    verified = "TextWorld in lock-step in 36 games, exhaustive search for shortest plans"
    variants = (
        dict(task="cooking", rooms=4, instructions="steps", rewards="steps"),
        dict(task="coin", quest_length=6, rooms=10),
        dict(task="treasure", instructions="nothing"),
    )
    shown = "explorer"
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    reply = view.reply
    scene = pictures.scene
    click = pictures.click

    def __init__(
        self,
        task: Task = "quest",
        quest_length: Annotated[int, Between(1, 20)] = 5,
        rooms: Annotated[int, Between(1, 20)] = 5,
        things: Annotated[int, Between(2, 24)] = 10,
        obstacles: Obstacles = "locked",
        ingredients: Annotated[int, Between(1, terms.INGREDIENTS)] = 3,
        preparation: Preparation = "both",
        instructions: Literal["nothing", "goal", "steps"] = "goal",
        rewards: Literal["goal", "steps"] = "goal",
        max_steps: Annotated[int, Horizon(1, 10_000)] = 80,
    ):
        made = Quests(task, quest_length, rooms, things, obstacles, ingredients, preparation)
        words = terms.COMMANDS.words(terms.NAMES)
        self.tools = (words.tools,)
        self.synonyms = words.synonyms
        code = max(ROOM + len(terms.ROOMS) - 1, (1 << STATES) - 1)
        bounds = np.tile(np.array([terms.IS_NOT, MOST - 1, code]), (GOAL, 1))
        recipe = np.tile(np.array([MOST - 1, 3, 3]), (terms.INGREDIENTS, 1))
        self.define(
            agents=["player"],
            actions=words.names,
            observation=Dict(
                {
                    **parts(len(terms.ROOMS)),
                    "task": Discrete(len(TASKS)),
                    "goal": Box(np.zeros_like(bounds), bounds, dtype=np.int32),
                    "steps": Box(-1, len(terms.TABLE) - 1, (terms.PLAN,), np.int16),
                    "recipe": Box(np.tile(np.array([-1, 0, 0]), (terms.INGREDIENTS, 1)), recipe, dtype=np.int8),
                }
            ),
            fields=fields(made),
            params={
                **made.values,
                "instructions": among(INSTRUCTIONS, instructions),
                "rewards": among(REWARDS, rewards),
                "max_steps": max_steps,
            },
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return tangled(s) or tangled(s.level) or unreadable(s.level)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_level(s.level, {name: part for name, part in level.items() if name != "kind"}, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_level(s.level)


env, raw_env, parallel_env = pettingzoo_forms(TextQuest)
