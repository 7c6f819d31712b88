"""The texts of TextQuest."""

from __future__ import annotations

from typing import Any

from envsuite.generators.quest_maps import TOLD
from envsuite.generators.quest_terms import (
    AGENT_IN,
    CLOSES,
    COOKBOOK,
    COOKED_WORDS,
    COOKING,
    COOKS,
    CUT_WORDS,
    DROPS,
    EATEN,
    EATS,
    EXAMINES,
    GOES,
    HEATS,
    INSERTS,
    IS,
    LISTS,
    LOCKED,
    LOCKS,
    LOOKS,
    NAMES,
    NO_FACT,
    OPENS,
    PLACED,
    PREPARES,
    PUTS,
    ROOMS,
    STATE_WORDS,
    TABLE,
    TAKES,
    TRAITS,
    TREASURE,
    UNLOCKS,
)
from envsuite.kit.telling import a, capital, listed
from envsuite.kit.things import (
    CONTAINER,
    DIRECTIONS,
    DOOR,
    EDIBLE,
    GONE,
    HELD,
    KEY,
    OPEN,
    ROOM,
    SUPPORTER,
)


def goal_text(seen: Any) -> str:
    """The goal as it is observed, as an instruction; "" if it is hidden."""
    found = []
    for kind, one, other in seen.goal.tolist():
        if kind == NO_FACT:
            continue
        if kind == AGENT_IN:
            found.append(f"be in the {ROOMS[one]}")
        elif kind == PLACED:
            found.append(_placed(one, other))
        elif other & EATEN:
            found.append(f"eat the {NAMES[one]}")
        elif other & OPEN:
            found.append(f"{'open' if kind == IS else 'close'} the {NAMES[one]}")
        elif other & LOCKED:
            found.append(f"{'lock' if kind == IS else 'unlock'} the {NAMES[one]}")
        else:
            words = listed(word for state, word in STATE_WORDS.items() if other & state)
            found.append(f"have the {NAMES[one]} {'' if kind == IS else 'not '}{words or 'changed'}")
    return listed(found)


def _placed(thing: int, place: int) -> str:
    """The goal that a thing is in a place, as an instruction."""
    if place == HELD:
        return f"take the {NAMES[thing]}"
    if place >= ROOM:
        return f"leave the {NAMES[thing]} on the floor of the {ROOMS[place - ROOM]}"
    if place == GONE:
        return f"use up the {NAMES[thing]}"
    where = "on" if TRAITS[place] & SUPPORTER else "in"
    return f"put the {NAMES[thing]} {where} the {NAMES[place]}"


def task_text(world: Any, seen: Any) -> str:
    """What the agent is told to do."""
    goal = goal_text(seen)
    if seen.task == COOKING and goal:
        goal += ". The cookbook in the kitchen has the recipe"
    if not goal:
        return "Your goal is not told."
    steps = [world.action_names[0][k] for k in seen.steps.tolist() if k >= 0]
    if steps:
        return f"Your goal: {goal}. These commands reach it: {', '.join(steps)}."
    return f"Your goal: {goal}."


def recipe_text(seen: Any) -> str:
    """The recipe, once it has been read."""
    rows = []
    for food, way, cut in seen.recipe.tolist():
        if food >= 0:
            how = " and ".join(word for word in (COOKED_WORDS[way], CUT_WORDS[cut]) if word)
            rows.append(f"{a(NAMES[food])}{f' ({how})' if how else ''}")
    return f"The recipe: {listed(rows)}." if rows else ""


def situation(world: Any, s: Any) -> str:
    """All that the agent observes now."""
    seen = world.observation(s, 0)
    found = [task_text(world, seen), TOLD.room(seen), TOLD.held(seen), recipe_text(seen), over_text(s)]
    return " ".join(part for part in found if part)


def over_text(s: Any) -> str:
    """The end of the episode."""
    if s.truncated[0]:
        return "The time is over; you have not reached the goal."
    if s.terminated[0]:
        done = all(s.done[quest] or s.level.optional[quest] for quest in range(s.level.quests))
        return "You have reached the goal." if done else "You have failed."
    return ""


def result_text(world: Any, s: Any) -> str:
    """What the last command did; at the start, the room."""
    seen = world.observation(s, 0)
    if s.last < 0:
        return f"{TOLD.room(seen)} {TOLD.held(seen)}"
    verb, one, other = TABLE[s.last].tolist()
    found = [_result(seen, verb, one, other, int(s.source)), over_text(s)]
    return " ".join(part for part in found if part)


def _result(seen: Any, verb: int, one: int, other: int, source: int) -> str:
    the = TOLD.the(one)
    if verb == GOES:
        return f"You go {DIRECTIONS[one]}. {TOLD.room(seen)}"
    if verb == LOOKS:
        return TOLD.room(seen)
    if verb == LISTS:
        return TOLD.held(seen)
    if verb == EXAMINES:
        return examined(seen, one)
    if verb == TAKES:
        place = "from the floor" if source >= ROOM else f"from {TOLD.the(source)}"
        return f"You take {the} {place}."
    if verb == DROPS:
        return f"You drop {the} on the floor."
    if verb == PUTS or verb == INSERTS:
        return f"You put {the} {TOLD.on(other)} {TOLD.the(other)}."
    if verb == OPENS:
        return f"You open {the}. {'' if TRAITS[one] & DOOR else TOLD.contents(seen, one)}".strip()
    if verb in (CLOSES, LOCKS, UNLOCKS):
        word = {CLOSES: "close", LOCKS: "lock", UNLOCKS: "unlock"}[verb]
        return f"You {word} {the}{'' if verb == CLOSES else f' with {TOLD.the(other)}'}."
    if verb == EATS:
        return f"You eat {the}."
    if verb == COOKS:
        words = listed(word for state, word in STATE_WORDS.items() if int(seen.states[one]) & state)
        return f"You cook {the} with {TOLD.the(other)}. It is {words} now."
    if verb == PREPARES:
        return "You prepare the meal. You carry it now."
    return f"You {('slice', 'dice', 'chop')[verb - COOKS - 1]} {the}."


def examined(seen: Any, thing: int) -> str:
    """What one sees of a thing that one looks at."""
    traits, states = int(TRAITS[thing]), int(seen.states[thing])
    if thing == COOKBOOK:
        return recipe_text(seen) or "The cookbook has no recipe for you."
    if traits & DOOR:
        side = next((DIRECTIONS[k] for k in range(4) if seen.doors[k] == thing), "")
        return f"{capital(TOLD.the(thing))} is {TOLD.lid(thing, states)}. It leads {side}."
    if traits & (CONTAINER | SUPPORTER):
        use = {1: "fry", 2: "roast", 4: "grill"}.get((traits & HEATS) // (HEATS & -HEATS), "")
        lid = "It is open. " if states & OPEN else ""
        return f"{lid}{TOLD.contents(seen, thing)}{f' You can {use} food with it.' if use else ''}".strip()
    kind = "a key" if traits & KEY else "food" if traits & EDIBLE else "an ordinary thing"
    words = TOLD.name(thing, states)
    return f"It is {kind}: {a(words)}." if words != NAMES[thing] else f"It is {kind}."


def description(world: Any, s: Any) -> str:
    """The task for a language agent."""
    seen = world.observation(s, 0)
    parts = [
        "You are the player of a text adventure. Each turn you give one command. Rooms have exits north, east, south "
        "and west. A closed door must be opened, and a locked one unlocked with its key, which may lie anywhere. "
        "Containers can be closed and locked too. You see what is in your room, and in and on its furniture unless it "
        'is closed. You can carry any number of things. "look" shows the room again, "inventory" what you carry, '
        '"examine" a thing more closely.',
        task_text(world, seen),
    ]
    if seen.task == COOKING:
        parts.insert(
            1,
            "To cook, find the kitchen, examine the cookbook, and collect the ingredients. The stove fries, the oven "
            "roasts and the grill grills the food that you carry; cook nothing twice, for it burns. With the knife in "
            "your hands you can slice, dice or chop a food. Treat each ingredient exactly as the recipe says, and no "
            'other way: a mistake ends the game. Then "prepare meal" in the kitchen with all ingredients in your '
            'hands, and "eat meal".',
        )
    if seen.task == TREASURE:
        parts.append("Take only what you need: there is another thing that ends the game if you take it.")
    parts.append(f"You have {s.params.max_steps} commands.")
    return "\n\n".join(parts)
