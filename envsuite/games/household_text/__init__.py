"""HouseholdText: a chore in a house that is explored by going from one receptacle to the next (after ALFWorld).

**Rules.** A house has receptacles, such as counters and drawers, and objects in or on them. The agent is at one
receptacle at a time, at first at none. It knows where the receptacles are, but not what is in them: it sees that when
it is there, unless the receptacle is closed. Its hands hold one object.

| command | needs | effect |
|---|---|---|
| go | the receptacle is another one | the agent is there |
| open, close | the agent is there, and it is closed, open | it is open, closed |
| take | empty hands, the object is in or on the receptacle here, which is not closed | the hands hold it |
| put | the hands hold the object, it may be in or on the receptacle here, which is not closed | it is there |
| clean, heat, cool | the hands hold it; the agent is at the sink, the microwave, the fridge | it is clean, hot, cold |
| slice | the hands hold a knife, the object is in sight here | it is sliced |
| use | the lamp is here | it is lit, or no longer lit |
| examine, look, inventory | the thing is in sight | none |

Clean, hot and cold objects stay so; heating ends cold and cooling ends hot. Microwave and fridge need not be opened for
that.

| `task` | goal |
|---|---|
| `place` | an object of a kind is in or on a receptacle of a kind |
| `two` | two objects of a kind are in or on the same receptacle of a kind |
| `clean`, `heat`, `cool` | a clean, hot, cold object of a kind is in or on a receptacle of a kind |
| `look` | the hands hold an object of a kind, and a lamp is lit where the agent is |

Every episode has a new house; see `envsuite.games.household_text.levels`.

**Agents.** One, `helper`.

**Observation.** Dict, of all that the agent has seen so far; nothing that it knows can change without it.

| part | space | content |
|---|---|---|
| task | Discrete (6) | the task, in the order above |
| item | Discrete (21) | the kind of object |
| target | Discrete (16) | the kind of receptacle; of no meaning for `look` |
| at | Box (1,) int8 | the receptacle where the agent is; 64 for none |
| places | Box (64,) int8 | the place of each thing: a receptacle, 64 in the hands, 66 in the house; -1 unknown |
| states | Box (64,) int32 | the states of each thing, a bit each: 1 open, 4 lit, 8 hot, 16 cold, 32 clean, 64 sliced |
| searched | Box (24,) int8 | 1 for each receptacle whose contents are known |

Things 0-23 are the receptacles, 24-61 objects, 62 and 63 lamps; their names are in the order of `examine`.

**Actions.** Discrete (1138), a command for each verb and all its things, legal as above.

| action | name |
|---|---|
| 0-23 | `go to counter 1` ... |
| 24-33, 34-43 | `open drawer 1` ..., `close drawer 1` ... |
| 44-81 | `take apple 1` ... |
| 82-537, 538-993 | `put apple 1 in fridge` ..., `put apple 1 on counter 1` ... |
| 994-1021, 1022-1037, 1038-1059 | `clean apple 1` ..., `heat apple 1` ..., `cool apple 1` ... |
| 1060-1069, 1070-1071 | `slice apple 1` ..., `use desk lamp` ... |
| 1072-1135 | `examine fridge` ... |
| last two | `look`, `inventory` |

**Window.** The picture lists the possible commands; a click on one gives it.

**Rewards.** 1 when the goal is reached.

**Ends.** Terminates with the goal. Truncated after `horizon` commands.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "any" | one of the tasks above, or "any" |
| `receptacles` | 12 | number of receptacles, from 4 to 24; more if the task needs them |
| `objects` | 14 | the most objects besides lamps, from 2 to 38 |
| `known` | False | whether the agent knows from the start where everything is |
| `horizon` | 50 | most commands, from 1 to 10,000 |

**Level.** ``{"task": "heat", "item": "apple", "target": "desk", "receptacles": ["fridge", ...], "objects": {"apple 1":
"fridge", ...}, "open": ["fridge"]}``. Levels of `envsuite generate chores` fit.

**Language agents.** Other wordings are understood, such as `pick up mug 1 from shelf 2` or `move mug 1 to the desk`.

**Known values.** Where everything is known, shortest plans have 4 to 6 commands for `place`, 8 to 11 for `two`, 5 to 8
for `clean`, `heat` and `cool`, and 3 to 5 for `look`.

**Differences.** From ALFWorld:

- Houses, kinds of objects, and where objects may be are our own. Its houses are scenes of ALFRED.
- There, an object can be sliced in a closed receptacle, and the agent can go where it is. Here neither is legal.
- There, the lamp of `look` need only have been used before. Here it must be lit.
- Costs of actions, which its planner uses, and `help` are left out.
- A command that is not possible is an error that changes nothing. There it is answered by "Nothing happens."

**Source.** Shridhar et al., "ALFWorld: Aligning text and embodied environments for interactive learning", 2021; its
rules in PDDL, `alfred.pddl` of the package `alfworld` 0.4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.household_text import pages, terms, view
from envsuite.games.household_text.levels import FEWEST, LEAST, Chores, Task, fault, make, read_chore, write_chore
from envsuite.games.household_text.terms import TASKS
from envsuite.kit import things
from envsuite.kit.things import fields as thing_fields
from envsuite.registry import pettingzoo_forms


def fields(chores: Chores) -> list[tuple]:
    """The record's own fields."""
    return [
        *chores.fields,  # level: the house and the task; room for its draws
        *thing_fields(1),  # where all things are now
        *things.seen_fields(),
        ("at", within(np.int64, 0, things.HELD)),  # the receptacle where the agent is, HELD for none
        ("known", flag(), (things.MOST,)),  # whether the agent has seen each thing
        ("searched", flag(), (terms.PLACES,)),  # whether it has seen what is in each receptacle
        ("last", within(np.int64, -1, len(terms.TABLE) - 1)),  # the last command, -1 before the first one
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    things.copy_things(s, s.level)
    s.at = things.HELD
    s.last = -1
    fill(s.known, s.params.known)
    fill(s.searched, s.params.known)
    see(s)


@kernel
def see(s):
    """See what is here, and remember it."""
    things.look_around(s, terms.TRAITS, s.at)
    for thing in range(things.MOST):
        if s.visible[thing] != 0:
            s.known[thing] = 1
    if s.at < terms.PLACES and not things.shut(s, terms.TRAITS, s.at):
        s.searched[s.at] = 1


@kernel
def in_hand(s):
    """The object in the agent's hands, or -1."""
    for thing in range(terms.PLACES, things.MOST):
        if s.places[thing] == things.HELD:
            return thing
    return -1


@kernel
def step(s, actions, rewards):
    action = np.int64(actions[0])
    verb, thing, other = (
        np.int64(terms.TABLE[action, 0]),
        np.int64(terms.TABLE[action, 1]),
        np.int64(terms.TABLE[action, 2]),
    )
    s.last = action
    if verb == terms.GOES:
        s.at = thing
    elif verb == terms.OPENS:
        things.set_state(s, thing, things.OPEN)
    elif verb == terms.CLOSES:
        things.end_state(s, thing, things.OPEN)
    elif verb == terms.TAKES:
        s.places[thing] = things.HELD
    elif verb == terms.PUTS_IN or verb == terms.PUTS_ON:
        s.places[thing] = other
    else:
        change(s, verb, thing)
    see(s)
    if done(s):
        rewards[0] = 1.0
        s.terminated[0] = 1
    elif s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def change(s, verb, thing):
    """Change a state of a thing."""
    if verb == terms.CLEANS:
        things.set_state(s, thing, things.CLEAN)
    elif verb == terms.HEATS:
        things.end_state(s, thing, things.COLD)
        things.set_state(s, thing, things.HOT)
    elif verb == terms.COOLS:
        things.end_state(s, thing, things.HOT)
        things.set_state(s, thing, things.COLD)
    elif verb == terms.SLICES:
        things.set_state(s, thing, things.SLICED)
    elif verb == terms.USES:
        s.states[thing] = s.states[thing] ^ things.ON


@kernel
def is_wanted(s, thing):
    """Whether a thing is of the task's kind and, where the task asks for it, clean, hot or cold."""
    if thing < terms.PLACES or terms.KIND[thing] != s.level.item:
        return False
    if s.level.task == terms.CLEANED:
        return things.has_state(s, thing, things.CLEAN)
    if s.level.task == terms.HEATED:
        return things.has_state(s, thing, things.HOT)
    return s.level.task != terms.COOLED or things.has_state(s, thing, things.COLD)


@kernel
def done(s):
    """Whether the goal is reached."""
    if s.level.task == terms.LOOKED:
        lit = False
        for thing in range(terms.PLACES, things.MOST):
            lit |= (
                terms.TRAITS[thing] & terms.LAMP != 0
                and s.places[thing] == s.at
                and things.has_state(s, thing, things.ON)
            )
        held = in_hand(s)
        return lit and held >= 0 and is_wanted(s, held)
    for place in range(terms.PLACES):
        if terms.KIND[place] == s.level.target:
            count = 0
            for thing in range(terms.PLACES, things.MOST):
                count += s.places[thing] == place and is_wanted(s, thing)
            if count >= (2 if s.level.task == terms.TWO else 1):
                return True
    return False


@kernel
def observe(s, agent, out):
    out.task = s.level.task
    out.item = s.level.item
    out.target = s.level.target
    out.at[0] = s.at
    for thing in range(things.MOST):
        there = s.places[thing] != things.GONE and (thing < terms.PLACES or s.known[thing] != 0)
        out.places[thing] = s.places[thing] if there else -1
        out.states[thing] = s.states[thing] if there and s.known[thing] != 0 else 0
    for place in range(terms.PLACES):
        out.searched[place] = s.searched[place]


@kernel
def allow(mask, verb, thing, allowed):
    """Allow a command if there is one and it is possible."""
    action = terms.ACTION[verb, thing]
    if action >= 0 and allowed:
        mask[action] = 1


@kernel
def legal(s, agent, mask):
    held = in_hand(s)
    for place in range(terms.PLACES):
        if s.places[place] == things.ROOM and place != s.at:
            mask[terms.ACTION[terms.GOES, place]] = 1
    if s.at < terms.PLACES:
        allow(mask, terms.OPENS, s.at, things.may_open(s, terms.TRAITS, s.at))
        allow(mask, terms.CLOSES, s.at, things.may_close(s, terms.TRAITS, s.at))
    for thing in range(things.MOST):
        if s.visible[thing] != 0:
            mask[terms.ACTION[terms.EXAMINES, thing]] = 1
            if thing >= terms.PLACES:
                allow(mask, terms.TAKES, thing, held < 0 and things.may_take(s, terms.TRAITS, thing))
                allow(mask, terms.SLICES, thing, held >= 0 and terms.TRAITS[held] & terms.KNIFE != 0 and thing != held)
                allow(mask, terms.USES, thing, True)
    if held >= 0 and s.at < terms.PLACES:
        kind = terms.KIND[s.at]
        if things.may_put(s, terms.TRAITS, held, s.at) and terms.LIKELY[terms.KIND[held], kind] > 0:
            mask[terms.PUT[held, s.at]] = 1
        allow(mask, terms.CLEANS, held, kind == terms.SINK)
        allow(mask, terms.HEATS, held, kind == terms.MICROWAVE)
        allow(mask, terms.COOLS, held, kind == terms.FRIDGE)
    mask[terms.LOOK] = mask[terms.INVENTORY] = 1


class HouseholdText(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    paid_at_end = True
    kind = ("text", "rooms")
    verified = "ALFWorld's PDDL domain, run by unified-planning, state by state; shortest plans by breadth-first search"
    variants = (dict(task="look", receptacles=24, objects=38, known=True), dict(task="heat", receptacles=4, objects=2))
    shown = "searcher"
    cost = 2
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    reply = view.reply
    scene = view.scene
    click = view.click
    understand = view.understand

    def __init__(
        self,
        task: Task = "any",
        receptacles: Annotated[int, Between(FEWEST, terms.PLACES)] = 12,
        objects: Annotated[int, Between(LEAST, 2 * terms.CARRIED)] = 14,
        known: bool = False,
        horizon: Annotated[int, Horizon(1, 10_000)] = 50,
    ):
        chores, words = Chores(task, receptacles, objects), terms.COMMANDS.words(terms.NAMES)
        self.tools = (words.tools,)
        self.synonyms = words.synonyms
        self.define(
            agents=["helper"],
            actions=words.names,
            observation=Dict(
                task=Discrete(len(TASKS)),
                item=Discrete(len(terms.OBJECT_KINDS)),
                target=Discrete(len(terms.RECEPTACLE_KINDS)),
                at=Box(0, things.HELD, (1,), np.int8),
                places=Box(-1, things.ROOM, (things.MOST,), np.int8),
                states=Box(0, (1 << things.STATES) - 1, (things.MOST,), np.int32),
                searched=Box(0, 1, (terms.PLACES,), np.int8),
            ),
            fields=fields(chores),
            params={**chores.values, "known": int(known), "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.at != things.HELD and (s.at >= terms.PLACES or s.places[s.at] != things.ROOM):
            return "the agent is at no receptacle of the house"
        return fault(s) or fault(s.level)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_chore(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_chore(s.level)


env, raw_env, parallel_env = pettingzoo_forms(HouseholdText)
