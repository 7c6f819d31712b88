"""Rulesets of XLand: goals, production rules and the objects at the start.

For one player, the goal is one of eleven kinds about one or two random tiles. Rules make its tiles from other ones, and
rules make those, up to the depth of the difficulty. Each tile is left without a rule with the probability `prune`, and
then is an object of the start. There are objects and rules besides that the goal does not need.

For several players, there are six random objects and rules about random tiles. The goal of each player is a random
formula about players and these tiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

# A tile is its kind plus SHADE times its color.
KINDS = (
    "nothing", "floor", "wall", "ball", "square", "pyramid", "goal", "key", "locked", "closed", "open", "hex", "star",
)  # fmt: skip
COLORS = (
    "none", "red", "green", "blue", "purple", "yellow", "grey", "black", "orange", "white", "brown", "pink",
)  # fmt: skip
EMPTY, FLOOR, WALL, BALL, SQUARE, PYRAMID, GOAL, KEY, LOCKED, CLOSED, OPEN, HEX, STAR = range(13)
SHADE, KIND = 16, 15
BLACK_FLOOR, GREY_WALL = FLOOR + 7 * SHADE, WALL + 6 * SHADE

#: What lies about: the first six can be picked up.
THINGS = np.array([BALL, SQUARE, PYRAMID, KEY, HEX, STAR, GOAL])
PORTABLE, ALL = 6, 7
#: The colors of things: all but none and black.
PAINTS = np.array([1, 2, 3, 4, 5, 6, 8, 9, 10, 11])

#: Where a tile is, seen from another one or from the player. Kinds of rules and goals count from these.
WHERE = ("beside", "above", "right of", "below", "left of")

# Kinds of rules; from PAIR_WAY and NEAR_WAY on, one for each direction.
NO_RULE, HOLD, NEAR, PAIR, PAIR_WAY, NEAR_WAY = 0, 1, 2, 3, 4, 8
RULE_KINDS = 12

# Kinds of goals; from PAIR_WAY_GOAL and NEAR_WAY_GOAL on, one for each direction.
HOLD_GOAL, ON_GOAL, NEAR_GOAL, PAIR_GOAL, TILE_AT, PLAYER_AT, PAIR_WAY_GOAL, NEAR_WAY_GOAL = 1, 2, 3, 4, 5, 6, 7, 11
GOAL_KINDS = 15

# Literals of the goals of several players: a kind, whether it is negated, and two things. A thing below PLAYERS is the
# player with this number, other things are tiles.
PLAYERS, CLAUSES, LITERALS = 4, 3, 3
NO_LITERAL, IS_NEAR, IS_ON, HOLDS, SEES = range(5)
VERBS = ("", "near", "on", "holds", "sees")
#: The kind of a player among the tiles of an observed goal.
PLAYER = STAR + 1

#: The largest map.
LARGEST = 25


class Setting(NamedTuple):
    """A difficulty: levels of rules, chance that a tile has no rule, and the most of what the goal does not need."""

    depth: int
    prune: float
    spare_rules: int  # from 0 to this number
    spare_objects: int

    @property
    def rules(self) -> int:
        return 2 ** (self.depth + 1) - 2 + self.spare_rules

    @property
    def objects(self) -> int:
        return 2 ** (self.depth + 1) + self.spare_objects + 2 * self.spare_rules


SETTINGS = {
    "trivial": Setting(0, 0.0, 0, 3),
    "small": Setting(1, 0.3, 2, 2),
    "medium": Setting(2, 0.1, 3, 2),
    "high": Setting(3, 0.1, 4, 1),
}
Difficulty = Literal["trivial", "small", "medium", "high"]
#: The objects of several players.
SHARED = 6


def level_fields(setting: Setting, players: int) -> list[tuple]:
    """The fields of `s.level`."""
    tile = within(np.uint8, 0, STAR + 11 * SHADE)
    objects = setting.objects if players == 1 else SHARED + 2 * setting.spare_rules
    return [
        ("goal", within(np.int16, 0, [GOAL_KINDS - 1, LARGEST**2, LARGEST**2]), (3,)),  # kind, tiles or a place
        ("literals", within(np.uint8, 0, [SEES, 1, 255, 255]), (players, CLAUSES, LITERALS, 4)),  # of several players
        ("rules", within(np.uint8, 0, [RULE_KINDS - 1, 255, 255, 255]), (max(1, setting.rules), 4)),  # kind, a, b, made
        ("objects", tile, (objects,)),  # tiles; 0 for none
    ]


# Draws.


@kernel
def used(s, tile, rules):
    """Whether the goal or one of the first rules is about a tile."""
    found = s.level.goal[1] == tile or s.level.goal[2] == tile
    for k in range(rules):
        found = found or s.level.rules[k, 1] == tile or s.level.rules[k, 2] == tile
    return found


@kernel
def draw_tile(s, kinds, rules):
    """A random thing that neither the goal nor one of the first rules is about; with `rules` -1 any thing."""
    tile = 0
    while tile == 0 or (rules >= 0 and used(s, tile, rules)):
        tile = THINGS[random.randint(s, kinds)] + SHADE * PAINTS[random.randint(s, 10)]
    return np.int64(tile)


@kernel
def draw_goal(s):
    """One of eleven kinds, about random tiles."""
    kind, way = random.randint(s, 11), 0
    goal = s.level.goal
    goal[2] = 0
    if kind == 0:
        goal[0] = HOLD_GOAL
        goal[1] = draw_tile(s, PORTABLE, -1)
    elif kind <= 5:
        way = kind - 2
        goal[0] = NEAR_GOAL if way < 0 else NEAR_WAY_GOAL + way
        goal[1] = draw_tile(s, ALL, -1)
    else:
        way = kind - 7
        goal[0] = PAIR_GOAL if way < 0 else PAIR_WAY_GOAL + way
        goal[1] = draw_tile(s, ALL, -1)
        goal[2] = draw_tile(s, PORTABLE, -1)


@kernel
def draw_rule(s, k, made, unused):
    """Rule number k, one of eleven kinds, makes a tile from random ones: with `unused`, from those not used so far."""
    kind, rule = random.randint(s, 11), s.level.rules[k]
    before = k if unused else -1
    rule[2] = 0
    if kind == 0:
        rule[0] = HOLD
        rule[1] = draw_tile(s, PORTABLE, before)
    elif kind <= 5:
        rule[0] = NEAR if kind == 1 else NEAR_WAY + kind - 2
        rule[1] = draw_tile(s, PORTABLE, before)
    else:
        rule[0] = PAIR if kind == 6 else PAIR_WAY + kind - 7
        rule[1] = draw_tile(s, ALL, before)
        rule[2] = draw_tile(s, PORTABLE, before)
    rule[3] = made


@kernel
def draw_chain(s):
    """Rules that make the tiles of the goal, and their objects; the numbers of both."""
    level, depth = s.level, s.params.depth
    rules, objects = 0, 0
    first, last = 0, 1  # the rules whose tiles are made next; at first the goal
    for stage in range(depth):
        before = rules
        for k in range(last - 1, first - 1, -1):
            for side in (2, 1):
                tile = level.goal[side] if stage == 0 else np.int64(level.rules[k, side])
                if tile == 0:
                    continue
                if random.bernoulli(s, s.params.prune):
                    level.objects[objects] = tile
                    objects += 1
                else:
                    draw_rule(s, rules, tile, True)
                    rules += 1
        first, last = before, rules
    for k in range(first, last):
        for side in (1, 2):
            tile = level.goal[side] if depth == 0 else np.int64(level.rules[k, side])
            if tile != 0:
                level.objects[objects] = tile
                objects += 1
    return rules, objects


@kernel
def draw_spare(s, rules, objects, spare_objects):
    """Objects and rules that no goal needs."""
    level = s.level
    for _ in range(spare_objects):
        level.objects[objects] = draw_tile(s, ALL, rules)
        objects += 1
    chain = rules
    for _ in range(random.randint(s, s.params.spare_rules + 1)):
        made = random.randint(s, 61)
        made = draw_tile(s, PORTABLE, chain) if made < 60 else BLACK_FLOOR
        draw_rule(s, rules, made, False)
        for side in (1, 2):
            if level.rules[rules, side] != 0:
                level.objects[objects] = level.rules[rules, side]
                objects += 1
        rules += 1


@kernel
def draw_thing(s, players, kinds):
    """A random player, or one of the shared objects: of any kind, or the kinds that can be picked up."""
    if random.bernoulli(s, 0.5) and players > 0:
        return random.randint(s, players)
    return np.int64(s.level.objects[random.randint(s, SHARED - 1 if kinds == PORTABLE else SHARED)])


@kernel
def draw_literal(s, literal, players, own):
    """A random statement about players and the shared objects; half of the time it is about the player `own`."""
    literal[0] = IS_NEAR + random.randint(s, 4)
    literal[1] = random.randint(s, 2)
    literal[2] = own if random.bernoulli(s, 0.5) else random.randint(s, players)
    literal[3] = literal[2]
    if literal[0] == IS_NEAR and random.bernoulli(s, 0.5):
        literal[2] = s.level.objects[random.randint(s, SHARED)]
    while literal[3] == literal[2]:
        if literal[0] == IS_ON:
            literal[3] = s.level.objects[SHARED - 1]
        elif literal[0] == HOLDS:
            literal[3] = s.level.objects[random.randint(s, SHARED - 1)]
        else:
            literal[3] = draw_thing(s, players, ALL)


@kernel
def repeats(clause, j):
    """Whether the last of j + 1 literals of a clause, or its opposite, is in the clause already."""
    found = False
    for i in range(j):
        same = clause[i, 0] == clause[j, 0]
        found = found or (same and clause[i, 2] == clause[j, 2] and clause[i, 3] == clause[j, 3])
    return found


@kernel
def draw_goals(s):
    """A random formula for each player; one for all, or one clause and its opposite in turn."""
    literals = s.level.literals
    players = literals.shape[0]
    for k in range(players):
        like = 0 if s.params.goals == COMMON else k % 2 if s.params.goals == OPPOSED else k
        clauses = 1 if s.params.goals == OPPOSED else 1 + random.randint(s, CLAUSES)
        for i in range(CLAUSES):
            count = 1 + random.randint(s, LITERALS) if i < clauses else 0
            for j in range(LITERALS):
                for part in range(4):
                    literals[k, i, j, part] = literals[like, i, j, part] if like < k else 0
                while like == k and j < count and (literals[k, i, j, 0] == NO_LITERAL or repeats(literals[k, i], j)):
                    draw_literal(s, literals[k, i, j], players, k)
        if k == 1 and s.params.goals == OPPOSED:
            oppose(literals)


@kernel
def oppose(literals):
    """The second goal becomes the opposite of the first one, which is a single clause."""
    for i in range(CLAUSES):
        for j in range(LITERALS):
            for part in range(4):
                literals[1, i, j, part] = literals[0, 0, i, part] if j == 0 else 0
        if literals[1, i, 0, 0] != NO_LITERAL:
            literals[1, i, 0, 1] = 1 - literals[1, i, 0, 1]


RANDOM, COMMON, OPPOSED = range(3)
RELATIONS = ("random", "common", "opposed")
Relation = Literal["random", "common", "opposed"]


@kernel
def clear(s):
    """A ruleset of nothing."""
    level = s.level
    for k in range(3):
        level.goal[k] = 0
    for k in range(level.rules.shape[0]):
        for part in range(4):
            level.rules[k, part] = 0
    fill(level.objects, 0)
    for k in range(level.literals.shape[0]):
        for i in range(CLAUSES):
            for j in range(LITERALS):
                for part in range(4):
                    level.literals[k, i, j, part] = 0


@kernel
def make(s):
    """Draw a ruleset."""
    clear(s)
    if s.level.literals.shape[0] == 1:
        draw_goal(s)
        rules, objects = draw_chain(s)
        draw_spare(s, rules, objects, s.params.spare_objects)
    else:
        for k in range(SHARED - 1):
            s.level.objects[k] = draw_tile(s, PORTABLE, -1)
        s.level.objects[SHARED - 1] = GOAL + SHADE * PAINTS[random.randint(s, 10)]
        draw_goals(s)
        draw_spare(s, 0, SHARED, 0)


class Rulesets(Generator):
    """Rulesets of XLand.

    Args:
        difficulty: "trivial", "small", "medium" or "high".
        players: number of players.
        goals: the goals of several players: "random", "common" (one for all) or "opposed" (one and its opposite, in
            turn).
    """

    make = make

    def __init__(
        self,
        difficulty: Difficulty = "medium",
        players: Annotated[int, Between(1, PLAYERS)] = 1,
        goals: Relation = "random",
    ):
        setting = SETTINGS[difficulty]
        self.define(
            level=level_fields(setting, players),
            params={
                "depth": fixed(setting.depth),
                "prune": fixed(setting.prune),
                "spare_rules": fixed(setting.spare_rules),
                "spare_objects": fixed(setting.spare_objects),
                "goals": fixed(RELATIONS.index(goals)),
            },
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(level["difficulty"], len(level["goals"]) if "goals" in level else 1)

    def decode(self, s: Any) -> dict[str, Any]:
        return {"difficulty": self.parameters["difficulty"], **write_ruleset(s.level)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_ruleset(s.level, {key: value for key, value in level.items() if key != "kind"}, "rulesets")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures: the size is the numbers of rules and objects, and the difficulty is that of rules.

        A ruleset of one player is "solvable" if rules can make all tiles of its goal, whatever the map.
        """
        rules, made = level["rules"], set(level["objects"])
        for _ in rules:
            for rule in rules:
                head, _, product = rule.rpartition(" makes ")
                _, a, b = read_condition(head)
                if {tile_name(tile) for tile in (a, b) if tile} <= made:
                    made.add(product)
        tiles = {tile for tile in read_goal(level["goal"])[1:] if tile >= SHADE} if "goal" in level else set()
        solvable = {tile_name(tile) for tile in tiles} <= made
        return {"size": [len(rules), len(level["objects"])], "solvable": solvable, "difficulty": len(rules)}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Goals, rules and objects in words."""
        from envsuite.render.scene import text_scene

        return text_scene(lines_of(level))


def lines_of(level: Mapping[str, Any]) -> list[str]:
    """A ruleset in words, line by line."""
    goals = [level["goal"]] if "goal" in level else [goal_in_words(goal) for goal in level["goals"]]
    lines = [f"goal: {goal}" for goal in goals]
    return [*lines, *(f"rule: {rule}" for rule in level["rules"]), f"objects: {', '.join(level['objects'])}"]


def goal_in_words(clauses: Sequence[str]) -> str:
    """The clauses of a goal of several players in one line."""
    return " or ".join(f"({clause})" if " and " in clause and len(clauses) > 1 else clause for clause in clauses)


# Words and levels as plain data.


def tile_name(tile: int) -> str:
    """A tile in words: ``red ball``."""
    return f"{COLORS[tile // SHADE]} {KINDS[tile & KIND]}"


def read_tile(text: Any) -> int:
    """The tile of these words, or `ValueError`."""
    color, _, kind = text.partition(" ")
    tile = KINDS.index(kind) + SHADE * COLORS.index(color)
    if (tile & KIND not in THINGS or tile // SHADE not in PAINTS) and tile != BLACK_FLOOR:
        raise ValueError
    return tile


def condition(kind: int, a: int, b: int) -> str:
    """The condition of a rule of this kind in words."""
    if kind == HOLD:
        return f"hold {tile_name(a)}"
    if PAIR <= kind < NEAR_WAY:
        return f"{tile_name(b)} {WHERE[kind - PAIR]} {tile_name(a)}"
    return f"{tile_name(a)} {WHERE[0 if kind == NEAR else kind - NEAR_WAY + 1]} player"


def read_condition(text: str) -> tuple[int, int, int]:
    """The kind of rule and the tiles of a condition, or `ValueError`."""
    if text.startswith("hold "):
        return HOLD, read_tile(text[5:]), 0
    for k, where in enumerate(WHERE):
        first, found, second = text.partition(f" {where} ")
        if found and second == "player":
            return (NEAR if k == 0 else NEAR_WAY + k - 1), read_tile(first), 0
        if found:
            return PAIR + k, read_tile(second), read_tile(first)
    raise ValueError


def rule_in_words(rule: Sequence[int]) -> str:
    """A rule in words: ``hold red ball makes blue key``."""
    kind, a, b, made = (int(part) for part in rule)
    return f"{condition(kind, a, b)} makes {tile_name(made)}"


def goal_of(goal: Sequence[int]) -> str:
    """The goal of one player in words; places are columns and rows."""
    kind, a, b = (int(part) for part in goal)
    if kind == 0:
        return "none"
    if kind == ON_GOAL:
        return f"player on {tile_name(a)}"
    if kind in (TILE_AT, PLAYER_AT):
        what, place = ("player", a) if kind == PLAYER_AT else (tile_name(a), b)
        return f"{what} at {place % LARGEST} {place // LARGEST}"
    return condition(_RULE_OF[kind], a, b)


#: The kind of rule whose condition is that of a kind of goal.
_RULE_OF = {HOLD_GOAL: HOLD, NEAR_GOAL: NEAR, PAIR_GOAL: PAIR}
_RULE_OF |= {PAIR_WAY_GOAL + k: PAIR_WAY + k for k in range(4)} | {NEAR_WAY_GOAL + k: NEAR_WAY + k for k in range(4)}
_GOAL_OF = {rule: goal for goal, rule in _RULE_OF.items()}


def read_goal(text: str) -> tuple[int, int, int]:
    """The goal of one player from its words, or `ValueError`."""
    if text == "none":
        return 0, 0, 0
    if text.startswith("player on "):
        return ON_GOAL, read_tile(text[10:]), 0
    what, found, place = text.partition(" at ")
    if found:
        x, y = (int(part) for part in place.split())
        if not (0 <= x < LARGEST and 0 <= y < LARGEST):
            raise ValueError
        return (PLAYER_AT, y * LARGEST + x, 0) if what == "player" else (TILE_AT, read_tile(what), y * LARGEST + x)
    kind, a, b = read_condition(text)
    return _GOAL_OF[kind], a, b


def thing_name(thing: int) -> str:
    """A player or tile in words."""
    return f"player_{thing}" if thing < PLAYERS else tile_name(thing)


def literal_in_words(literal: Sequence[int]) -> str:
    """A literal in words: ``not player_0 near red ball``."""
    kind, negated, x, y = (int(part) for part in literal)
    return f"{'not ' if negated else ''}{thing_name(x)} {VERBS[kind]} {thing_name(y)}"


def read_literal(text: str, players: int) -> tuple[int, int, int, int]:
    """A literal from its words, or `ValueError`."""
    negated = text.startswith("not ")
    for kind in range(IS_NEAR, SEES + 1):
        first, found, second = text[4 * negated :].partition(f" {VERBS[kind]} ")
        if found:
            names = [f"player_{k}" for k in range(players)]
            x, y = (names.index(name) if name in names else read_tile(name) for name in (first, second))
            tiles = y >= PLAYERS if kind in (IS_ON, HOLDS) else x != y
            if not tiles or (kind != IS_NEAR and x >= PLAYERS) or BLACK_FLOOR in (x, y):
                raise ValueError
            return kind, int(negated), x, y
    raise ValueError


def write_ruleset(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    goals: dict[str, Any] = {"goal": goal_of(part.goal)}
    if len(part.literals) > 1:
        goals = {
            "goals": [
                [" and ".join(literal_in_words(x) for x in clause if x[0]) for clause in clauses if clause[0, 0]]
                for clauses in part.literals
            ]
        }
    return {
        **goals,
        "rules": [rule_in_words(rule) for rule in part.rules if rule[0]],
        "objects": [tile_name(tile) for tile in part.objects.tolist() if tile],
    }


def read_ruleset(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    players = len(part.literals)
    wanted = {"goal" if players == 1 else "goals", "rules", "objects"}
    if set(level) - {"difficulty"} != wanted:
        given = ", ".join(map(repr, level)) or "nothing"
        raise LevelError(f"{name}: a ruleset has {', '.join(map(repr, sorted(wanted)))}, not {given}")
    for key, room in (("rules", len(part.rules)), ("objects", len(part.objects))):
        if not isinstance(level[key], (list, tuple)) or len(level[key]) > room:
            raise LevelError(f"{name}: {key!r} must be a list of at most {room} {key}")
    rules, objects = np.zeros_like(part.rules), np.zeros_like(part.objects)
    goal, literals = np.zeros_like(part.goal), np.zeros_like(part.literals)
    for k, text in enumerate(level["rules"]):
        head, _, made = str(text).rpartition(" makes ")
        rules[k] = [*_read(read_condition, head, f"{name}: the rule {text!r:.80}"), _tile(made, name)]
    for k, text in enumerate(level["objects"]):
        objects[k] = _tile(text, name)
        if objects[k] == BLACK_FLOOR:
            raise LevelError(f"{name}: floor is no object")
    if players == 1:
        goal[:] = _read(read_goal, level["goal"], f"{name}: the goal {level['goal']!r:.80}")
    else:
        _read_goals(literals, level["goals"], name)
    part.rules[:], part.objects[:], part.goal[:], part.literals[:] = rules, objects, goal, literals


def _read_goals(literals: np.ndarray, goals: Any, name: str) -> None:
    players = len(literals)
    if not isinstance(goals, (list, tuple)) or len(goals) != players:
        raise LevelError(f"{name}: 'goals' must be a list of the goals of {players} players")
    for k, clauses in enumerate(goals):
        if not isinstance(clauses, (list, tuple)) or not 1 <= len(clauses) <= CLAUSES:
            raise LevelError(f"{name}: the goal of player_{k} must be a list of 1 to {CLAUSES} clauses")
        for i, clause in enumerate(clauses):
            parts = str(clause).split(" and ")
            if len(parts) > LITERALS:
                raise LevelError(f"{name}: the clause {clause!r:.80} has more than {LITERALS} parts")
            for j, text in enumerate(parts):
                read = lambda text: read_literal(text, players)  # noqa: E731
                literals[k, i, j] = _read(read, text, f"{name}: the part {text!r:.60} of a goal")


def _tile(text: Any, name: str) -> int:
    return _read(read_tile, text, f"{name}: {text!r:.40}, a tile,")


def _read(reader: Any, text: Any, what: str) -> Any:
    """What `reader` makes of these words, or a `LevelError`."""
    try:
        return reader(text)
    except (ValueError, KeyError, AttributeError, TypeError):
        raise LevelError(f"{what} cannot be read; see the page of XLand for the words") from None
