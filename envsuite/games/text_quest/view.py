"""The texts of TextQuest."""

from __future__ import annotations

from typing import Any

from envsuite.core.page import listed
from envsuite.games.text_quest import terms
from envsuite.games.text_quest.levels_maps import TOLD
from envsuite.kit import things
from envsuite.kit.telling import a, capital


def goal_text(seen: Any) -> str:
    """The goal as it is observed, as an instruction; "" if it is hidden."""
    found = []
    for kind, one, other in seen.goal.tolist():
        if kind == terms.NO_FACT:
            continue
        if kind == terms.AGENT_IN:
            found.append(f"be in the {terms.ROOMS[one]}")
        elif kind == terms.PLACED:
            found.append(_placed(one, other))
        elif other & terms.EATEN:
            found.append(f"eat the {terms.NAMES[one]}")
        elif other & things.OPEN:
            found.append(f"{'open' if kind == terms.IS else 'close'} the {terms.NAMES[one]}")
        elif other & things.LOCKED:
            found.append(f"{'lock' if kind == terms.IS else 'unlock'} the {terms.NAMES[one]}")
        else:
            words = listed(word for state, word in terms.STATE_WORDS.items() if other & state)
            found.append(f"have the {terms.NAMES[one]} {'' if kind == terms.IS else 'not '}{words or 'changed'}")
    return listed(found)


def _placed(thing: int, place: int) -> str:
    """The goal that a thing is in a place, as an instruction."""
    if place == things.HELD:
        return f"take the {terms.NAMES[thing]}"
    if place >= things.ROOM:
        return f"leave the {terms.NAMES[thing]} on the floor of the {terms.ROOMS[place - things.ROOM]}"
    if place == things.GONE:
        return f"use up the {terms.NAMES[thing]}"
    where = "on" if terms.TRAITS[place] & things.SUPPORTER else "in"
    return f"put the {terms.NAMES[thing]} {where} the {terms.NAMES[place]}"


def task_text(world: Any, seen: Any) -> str:
    """What the agent is told to do."""
    goal = goal_text(seen)
    if seen.task == terms.COOKING and goal:
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
            how = " and ".join(word for word in (terms.COOKED_WORDS[way], terms.CUT_WORDS[cut]) if word)
            rows.append(f"{a(terms.NAMES[food])}{f' ({how})' if how else ''}")
    return f"The recipe: {listed(rows)}." if rows else ""


def text(world: Any, s: Any, agent: int) -> str:
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


def reply(world: Any, s: Any, agent: int) -> str:
    """What the last command did; at the start, the room."""
    seen = world.observation(s, 0)
    if s.last < 0:
        return f"{TOLD.room(seen)} {TOLD.held(seen)}"
    verb, one, other = terms.TABLE[s.last].tolist()
    found = [_result(seen, verb, one, other, int(s.source)), over_text(s)]
    return " ".join(part for part in found if part)


def _result(seen: Any, verb: int, one: int, other: int, source: int) -> str:
    the = TOLD.the(one)
    if verb == terms.GOES:
        return f"You go {things.DIRECTIONS[one]}. {TOLD.room(seen)}"
    if verb == terms.LOOKS:
        return TOLD.room(seen)
    if verb == terms.LISTS:
        return TOLD.held(seen)
    if verb == terms.EXAMINES:
        return examined(seen, one)
    if verb == terms.TAKES:
        place = "from the floor" if source >= things.ROOM else f"from {TOLD.the(source)}"
        return f"You take {the} {place}."
    if verb == terms.DROPS:
        return f"You drop {the} on the floor."
    if verb == terms.PUTS or verb == terms.INSERTS:
        return f"You put {the} {TOLD.on(other)} {TOLD.the(other)}."
    if verb == terms.OPENS:
        return f"You open {the}. {'' if terms.TRAITS[one] & things.DOOR else TOLD.contents(seen, one)}".strip()
    if verb in (terms.CLOSES, terms.LOCKS, terms.UNLOCKS):
        word = {terms.CLOSES: "close", terms.LOCKS: "lock", terms.UNLOCKS: "unlock"}[verb]
        return f"You {word} {the}{'' if verb == terms.CLOSES else f' with {TOLD.the(other)}'}."
    if verb == terms.EATS:
        return f"You eat {the}."
    if verb == terms.COOKS:
        words = listed(word for state, word in terms.STATE_WORDS.items() if int(seen.states[one]) & state)
        return f"You cook {the} with {TOLD.the(other)}. It is {words} now."
    if verb == terms.PREPARES:
        return "You prepare the meal. You carry it now."
    return f"You {('slice', 'dice', 'chop')[verb - terms.COOKS - 1]} {the}."


def examined(seen: Any, thing: int) -> str:
    """What one sees of a thing that one looks at."""
    traits, states = int(terms.TRAITS[thing]), int(seen.states[thing])
    if thing == terms.COOKBOOK:
        return recipe_text(seen) or "The cookbook has no recipe for you."
    if traits & things.DOOR:
        side = next((things.DIRECTIONS[k] for k in range(4) if seen.doors[k] == thing), "")
        return f"{capital(TOLD.the(thing))} is {TOLD.lid(thing, states)}. It leads {side}."
    if traits & (things.CONTAINER | things.SUPPORTER):
        use = {1: "fry", 2: "roast", 4: "grill"}.get((traits & terms.HEATS) // (terms.HEATS & -terms.HEATS), "")
        lid = "It is open. " if states & things.OPEN else ""
        return f"{lid}{TOLD.contents(seen, thing)}{f' You can {use} food with it.' if use else ''}".strip()
    kind = "a key" if traits & things.KEY else "food" if traits & things.EDIBLE else "an ordinary thing"
    words = TOLD.name(thing, states)
    return f"It is {kind}: {a(words)}." if words != terms.NAMES[thing] else f"It is {kind}."
