"""TextQuest: an adventure in words, from keys and doors to recipes, whose goal must be found among many commands.

PAGE
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.kernel import kernel
from envsuite.core.ranges import fixed, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.text_quest_pictures import command_at, map_picture, own_picture
from envsuite.games.text_quest_rules import act, possible, share_done, update_quests, won
from envsuite.games.text_quest_view import description, result_text, situation
from envsuite.generators.quest_levels import read_level, write_level
from envsuite.generators.quest_terms import (
    COMMANDS,
    EXAMINES,
    FACTS,
    INGREDIENTS,
    IS_NOT,
    NAMES,
    NO_FACT,
    PLAN,
    QUESTS,
    ROOMS,
    TABLE,
    TASKS,
    TRAITS,
)
from envsuite.generators.quests import Obstacles, Preparation, Quests, Task, make
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
from envsuite.render.scene import Scene

INSTRUCTIONS = ("nothing", "goal", "steps")
NOTHING, ONLY_GOAL, ALL_STEPS = range(3)
REWARDS = ("goal", "steps")

#: The facts of the goal that are observed at most.
GOAL = 4


def fields(made: Quests) -> list[tuple]:
    """The record."""
    return [
        *made.fields,  # level: the start and the goal; room for its draws
        *thing_fields(len(ROOMS)),  # where the agent and all things are now
        *seen_fields(),
        ("done", flag(), (QUESTS,)),  # whether each quest is done
        ("read", flag(np.int64)),  # whether the agent has read the recipe
        ("last", within(np.int64, -1, len(TABLE) - 1)),  # the last command, -1 before the first one
        ("source", within(np.int64, 0, ROOM + len(ROOMS) - 1)),  # where the first thing of the last command was before
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    copy_things(s, s.level)
    for quest in range(QUESTS):
        s.done[quest] = 0
    s.read = 0
    s.last = -1
    s.source = GONE
    update_quests(s)
    look_around(s, TRAITS, ROOM + s.room)


@kernel
def step(s, actions, rewards):
    action = np.int64(actions[0])
    verb, one, other = np.int64(TABLE[action, 0]), np.int64(TABLE[action, 1]), np.int64(TABLE[action, 2])
    before = share_done(s)
    s.last = action
    s.source = s.places[one]
    act(s, verb, one, other)
    look_around(s, TRAITS, ROOM + s.room)
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
    for k in range(FACTS):
        if told != NOTHING and s.level.facts[k, 0] == s.level.quests - 1 and s.level.facts[k, 1] != NO_FACT:
            if found < GOAL:
                for part in range(3):
                    out.goal[found, part] = s.level.facts[k, part + 1]
            found += 1
    for k in range(PLAN):
        out.steps[k] = s.level.plan[k] if told == ALL_STEPS else -1
    out.task = s.level.task
    for k in range(INGREDIENTS):
        out.recipe[k, 0] = s.level.recipe[k, 0] if s.read else -1
        out.recipe[k, 1] = s.level.recipe[k, 1] if s.read else 0
        out.recipe[k, 2] = s.level.recipe[k, 2] if s.read else 0


@kernel
def legal(s, agent, mask):
    for action in range(mask.shape[0]):
        verb, one, other = np.int64(TABLE[action, 0]), np.int64(TABLE[action, 1]), np.int64(TABLE[action, 2])
        if verb < EXAMINES or s.visible[one] or verb == LAST_VERB:
            mask[action] = possible(s, verb, one, other)


#: The verb `prepare meal`, which has no thing.
LAST_VERB = len(COMMANDS.verbs) - 1


class TextQuest(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    verified = "TextWorld in lock-step, exhaustive search for shortest plans"
    variants = (
        dict(task="cooking", rooms=4, instructions="steps", rewards="steps"),
        dict(task="coin", quest_length=6, rooms=10),
        dict(task="treasure", instructions="nothing"),
    )
    shown = "explorer"
    synonyms: Mapping[str, str] = {}

    def __init__(
        self,
        task: Task = "quest",
        quest_length: Annotated[int, Between(1, 20)] = 5,
        rooms: Annotated[int, Between(1, 20)] = 5,
        things: Annotated[int, Between(2, 24)] = 10,
        obstacles: Obstacles = "locked",
        ingredients: Annotated[int, Between(1, INGREDIENTS)] = 3,
        preparation: Preparation = "both",
        instructions: Literal["nothing", "goal", "steps"] = "goal",
        rewards: Literal["goal", "steps"] = "goal",
        max_steps: Annotated[int, Horizon(1, 10_000)] = 80,
    ):
        made = Quests(task, quest_length, rooms, things, obstacles, ingredients, preparation)
        words = COMMANDS.words(NAMES)
        self.tools = (words.tools,)
        self.synonyms = words.synonyms  # type: ignore[misc]
        self.paid_at_end = rewards == "goal"  # type: ignore[misc]
        code = max(ROOM + len(ROOMS) - 1, (1 << STATES) - 1)
        bounds = np.tile(np.array([IS_NOT, MOST - 1, code]), (GOAL, 1))
        recipe = np.tile(np.array([MOST - 1, 3, 3]), (INGREDIENTS, 1))
        self.define(
            agents=["player"],
            actions=words.names,
            observation=Dict(
                **parts(len(ROOMS)),
                task=Discrete(len(TASKS)),
                goal=Box(np.zeros_like(bounds), bounds, dtype=np.int32),
                steps=Box(-1, len(TABLE) - 1, (PLAN,), np.int16),
                recipe=Box(np.tile(np.array([-1, 0, 0]), (INGREDIENTS, 1)), recipe, dtype=np.int8),
            ),
            fields=fields(made),
            params={
                **made.values,
                "instructions": fixed(INSTRUCTIONS.index(instructions)),
                "rewards": fixed(REWARDS.index(rewards)),
                "max_steps": max_steps,
            },
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return tangled(s) or tangled(s.level)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_level(s.level, {name: part for name, part in level.items() if name != "kind"}, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_level(s.level)

    def prompt(self, s: Any, agent: int) -> str:
        return description(self, s)

    def text(self, s: Any, agent: int) -> str:
        return situation(self, s)

    def reply(self, s: Any, agent: int) -> str:
        return result_text(self, s)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        return map_picture(self, s) if agent is None else own_picture(self, s)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return command_at(self, s, x, y)


env, raw_env, parallel_env = pettingzoo_forms(TextQuest)
