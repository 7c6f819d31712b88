"""Record TextWorld: python tests/data/recorders/text_quest.py tests/data/TextQuest/text_quest.json.gz

Needs textworld 1.7.0 beside this package. Its games are made with its own generators and seeds, compiled, and played
through its interpreter: the walkthrough, and two walks of random admissible commands. The file has a list of games.
Of each game:

- name: what made it.
- level: the start and the goal in the form of our levels, with our names in place of TextWorld's.
- walks: lists of steps, of which random ones never try to prepare a meal. Of each step: the number of our command (-1
  at the start), the numbers of our commands for all admissible ones, the things that changed (number, place, states;
  at the start all), the agent's room, the score, and the end (0 no, 1 won, 2 lost).

A walk ends before a step that TextWorld counts as lost because its quest can no longer be reached. Games with drinks,
and games with more things of a kind than we have names for, are left out.
"""

import gzip
import json
import os
import pathlib
import random
import sys
import tempfile

import textworld
from textworld.challenges import CHALLENGES
from textworld.generator.game import GameOptions

from envsuite.games.text_quest.reading import COMMAND_NAMES, fact, place_name, state_names
from envsuite.games.text_quest.terms import (
    AGENT_IN,
    BURNED,
    CHOPPED,
    DICED,
    EATEN,
    FRIED,
    GRILLED,
    INEDIBLE,
    IS,
    IS_NOT,
    NAMES,
    NEEDS,
    NUMBER,
    PLACED,
    RAW,
    ROASTED,
    ROOMS,
    STATE_NAMES,
    TABLE,
    TAKES,
    UNCUT,
)  # fmt: skip
from envsuite.kit.things import COOKED, GONE, HELD, LOCKED, OPEN, ROOM, SLICED

#: Our names for TextWorld's types, in order.
SLOTS = {
    "d": NAMES[0:10], "c": NAMES[10:16], "s": NAMES[18:25], "k": NAMES[27:35], "f": NAMES[35:47],
    "o": NAMES[50:64], "oven": ["oven"], "stove": ["stove"], "toaster": ["grill"], "meal": ["meal"],
}  # fmt: skip
SAME = {"fridge", "cookbook", "knife"}

STATES = {
    "open": OPEN, "locked": LOCKED, "raw": RAW, "needs_cooking": NEEDS, "inedible": INEDIBLE, "cooked": COOKED,
    "fried": FRIED, "roasted": ROASTED, "grilled": GRILLED, "burned": BURNED, "uncut": UNCUT, "sliced": SLICED,
    "diced": DICED, "chopped": CHOPPED, "eaten": EATEN, "consumed": EATEN,
}  # fmt: skip
STEPS, WALKS = 40, 2


class Unfit(Exception):
    """A game that our names cannot express."""


class Names:
    """Our numbers for the things and rooms of a game, and our commands for its commands."""

    def __init__(self, game):
        self.thing, self.room, self.label = {}, {}, {}
        left = {kind: list(names) for kind, names in SLOTS.items()}
        rooms = [name for name in ROOMS if name != "kitchen"]
        for key, info in sorted(game.infos.items()):
            kind = str(info.type)
            if kind == "r":
                self.room[key] = ROOMS.index("kitchen" if info.name == "kitchen" else rooms.pop(0))
                self.room[info.name] = self.room[key]
            elif kind in left:
                if info.name in SAME:
                    self.thing[key] = NUMBER[info.name]
                elif info.name == "coin" and kind == "o":
                    self.thing[key] = NUMBER["coin"]
                    left["o"].remove("coin")
                elif left[kind]:
                    name = left[kind].pop(0) if kind != "o" or left["o"][0] != "coin" else left["o"].pop(1)
                    self.thing[key] = NUMBER[name]
                else:
                    raise Unfit(f"too many of {kind}")
                self.label[self.thing[key]] = info.name
                self.thing[info.name] = self.thing[key]  # the interpreter's facts have names
        self.commands = {}
        for number, (verb, one, other) in enumerate(TABLE.tolist()):
            words = COMMAND_NAMES[number]
            named = sorted((k for k in (one, other) if NAMES[k] in words), key=lambda k: -len(NAMES[k]))
            if any(k not in self.label for k in named if f" {NAMES[k]} " in f" {words} "):
                continue
            marked = f" {words} "
            for k in named:
                marked = marked.replace(f" {NAMES[k]} ", f" <{k}> ")
            for k in named:
                marked = marked.replace(f"<{k}>", self.label[k])
            self.commands[marked.strip()] = number
            if verb == TAKES:
                for place in self.label.values():
                    self.commands[f"{marked.strip()} from {place}"] = number

    def numbers(self, commands):
        """Our numbers for admissible commands."""
        return sorted({self.commands[command] for command in commands})

    def state(self, facts):
        """The agent's room, and the place and the states of all things."""
        room, found = -1, {k: [GONE, 0] for k in self.thing.values()}
        for one in facts:
            names = [argument.name for argument in one.arguments]
            if one.name == "at" and names[0] == "P":
                room = self.room[names[1]]
            elif one.name == "at" and names[0] in self.thing:
                found[self.thing[names[0]]][0] = ROOM + self.room[names[1]]
            elif one.name in ("in", "on") and names[0] in self.thing:
                found[self.thing[names[0]]][0] = HELD if names[1] == "I" else self.thing[names[1]]
            elif one.name in STATES and names[0] in self.thing:
                found[self.thing[names[0]]][1] |= STATES[one.name]
            elif one.name == "drinkable":
                raise Unfit("drinks")
        return room, found

    def facts(self, conditions):
        """Facts of a goal; those that never change are left out."""
        found = []
        for one in conditions:
            names = [argument.name for argument in one.arguments]
            if one.name == "at" and names[0] == "P":
                found.append(fact(AGENT_IN, self.room[names[1]], 0))
            elif one.name == "at":
                found.append(fact(PLACED, self.thing[names[0]], ROOM + self.room[names[1]]))
            elif one.name in ("in", "on") and names[0] in self.thing:
                found.append(fact(PLACED, self.thing[names[0]], HELD if names[1] == "I" else self.thing[names[1]]))
            elif one.name == "closed":
                found.append(fact(IS_NOT, self.thing[names[0]], OPEN | LOCKED))
            elif one.name in STATES:
                found.append(fact(IS, self.thing[names[0]], STATES[one.name]))
            elif one.name not in ("match", "link", "edible", "free", "north_of", "south_of", "east_of", "west_of"):
                raise Unfit(f"goal {one}")
        return found


def level_of(game, names, task):
    """The start and the goal of a game as our level."""
    room, found = names.state(game.world.facts)
    doors, exits, opens, ingredients = {}, [], {}, {}
    for one in game.world.facts:
        arguments = [argument.name for argument in one.arguments]
        if one.name == "link":
            doors[arguments[0], arguments[2]] = NAMES[names.thing[arguments[1]]]
        elif one.name == "match":
            opens[NAMES[names.thing[arguments[0]]]] = NAMES[names.thing[arguments[1]]]
        elif one.name == "base":
            ingredients[arguments[1]] = [NAMES[names.thing[arguments[0]]], None, None]
    for one in game.world.facts:
        arguments = [argument.name for argument in one.arguments]
        if one.name in ("south_of", "east_of"):  # the first is south or east of the second
            rooms = [ROOMS[names.room[key]] for key in arguments]
            exits.append([rooms[1], one.name[:5].rstrip("_"), rooms[0], doors.get(tuple(arguments))])
        if arguments and arguments[0] in ingredients and one.name in ("fried", "roasted", "grilled"):
            ingredients[arguments[0]][1] = one.name
        if arguments and arguments[0] in ingredients and one.name in ("sliced", "diced", "chopped"):
            ingredients[arguments[0]][2] = one.name
    exits = [[one, "east" if side == "east_" else side, other, door] for one, side, other, door in exits]
    quests, fails = [], []
    for quest in game.quests:
        if len(quest.win_events) > 1:
            raise Unfit("alternatives")
        number = len(quests) if quest.win_events else -1
        quests += [names.facts(event.condition.preconditions) for event in quest.win_events]
        fails += [[number, *one] for event in quest.fail_events for one in names.facts(event.condition.preconditions)]
    things = [[NAMES[k], place_name(place), *state_names(states)] for k, (place, states) in sorted(found.items())]
    return {
        "task": task, "agent": ROOMS[room], "exits": exits, "things": things, "opens": opens, "quests": quests,
        "fails": fails, "recipe": list(ingredients.values()),
    }  # fmt: skip


def walk(env, names, level, commands, rng):
    """The steps of one walk: these commands, or random ones."""
    state = env.reset()
    room, before = names.state(state.facts)
    steps = [[-1, names.numbers(state.admissible_commands), [[k, *v] for k, v in before.items()], room, 0, 0]]
    for k in range(len(commands) if commands else STEPS):
        command = commands[k] if commands else rng.choice(sorted(set(state.admissible_commands) - {"prepare meal"}))
        if command not in state.admissible_commands:
            continue  # walkthroughs of cooking open a fridge again for the next ingredient
        state, score, done = env.step(command)
        room, now = names.state(state.facts)
        end = 1 if state.won else 2 if state.lost else 0
        changed = [[thing, *value] for thing, value in now.items() if value != before[thing]]
        row = [names.commands[command], [] if done else names.numbers(state.admissible_commands), changed, room, score]
        if end == 2 and not expected(names, now, level["fails"]):
            break
        steps.append([*row, end])
        before = now
        if done:
            break
    return steps


def expected(names, now, fails):
    """Whether a fact of the level explains that a game is lost."""
    return any(
        now[NUMBER[thing]][0] == HELD if verb == "at" else now[NUMBER[thing]][1] & our_states(words)
        for _, thing, verb, *words in fails
    )


def our_states(words):
    """States by their names in levels."""
    return sum(STATE_NAMES[word] for word in words)


def play(name, game, folder, task):
    """One game with its walks."""
    names = Names(game)
    level = level_of(game, names, task)
    options = GameOptions()
    options.path, options.file_ext, options.force_recompile = os.path.join(folder, "game.z8"), ".z8", True
    file = textworld.generator.compile_game(game, options)
    asked = textworld.EnvInfos(admissible_commands=True, facts=True, score=True, won=True, lost=True)
    env = textworld.start(file, asked)
    walkthrough = list(game.walkthrough or game.metadata.get("walkthrough", ()))
    walks = []
    if walkthrough:
        try:
            walks.append(walk(env, names, level, walkthrough, None))
        except Unfit as problem:
            print(name, problem)
    for seed in range(WALKS):
        walks.append(walk(env, names, level, None, random.Random(f"{name} {seed}")))
    env.close()
    return {"name": name, "level": level, "walks": walks}


def games():
    """All games that are tried: a name, the task, and a function that makes it."""

    def custom(seed, rooms, things, length):
        options = GameOptions()
        options.nb_rooms, options.nb_objects, options.quest_length, options.seeds = rooms, things, length, seed
        return textworld.generator.make_game(options)

    def challenge(name, seed, **settings):
        options = GameOptions()
        options.seeds = seed
        return CHALLENGES[name][1](settings, options)

    yield "make_game 1234 5 10 5", "quest", lambda: custom(1234, 5, 10, 5)
    for k in range(14):
        given = (100 + k, 1 + k % 8, 6 + k % 9, 1 + k % 10)
        yield f"make_game {' '.join(map(str, given))}", "quest", lambda given=given: custom(*given)
    for level in (1, 10, 105, 204):
        yield f"coin {level}", "coin", lambda level=level: challenge("tw-coin_collector", level, level=level)
    for level in (5, 10, 12, 14, 16, 19, 20):
        yield f"treasure {level}", "treasure", lambda level=level: challenge("tw-treasure_hunter", level, level=level)
    for k in range(11):
        settings = dict(
            recipe=1 + k % 4, take=1 + k % 4, go=(1, 6)[k % 2], open=k % 2 == 0, cook=k % 5 != 1, cut=k % 4 != 2,
            drop=False, recipe_seed=k + 1, split="train",
        )  # fmt: skip
        yield f"cooking {k}", "cooking", lambda k=k, settings=settings: challenge("tw-cooking", k, **settings)


def main(path, only=""):
    """Play and write."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, task, make in games():
            if only not in name:
                continue
            try:
                found.append(play(name, make(), folder, task))
            except Unfit as problem:
                print(name, problem, flush=True)
            except (ValueError, textworld.generator.QuestGenerationError) as problem:  # for some seeds
                print(name, type(problem).__name__, problem, flush=True)
    print(len(found), "games", sum(len(steps) for game in found for steps in game["walks"]), "steps")
    text = json.dumps(found, separators=(",", ":"))
    pathlib.Path(path).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
