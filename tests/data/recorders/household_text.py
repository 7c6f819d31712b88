"""Record ALFWorld's rules.

    python tests/data/recorders/household_text.py alfred.pddl > tests/data/HouseholdText/household_text.json

The argument is the domain of the package alfworld 0.4.2, alfworld/data/alfred.pddl, run by unified-planning 1.3.0.
Its type `object` is renamed, because that is the name of PDDL's own root type; the actions that only note what has been
looked at are left out, and so is the unused function `distance`. Houses are HouseholdText's own.
Actions are random, in every other episode mostly those of `searcher`.
"""

import json
import random
import re
import sys

import numpy as np
import unified_planning.shortcuts as up
from unified_planning.engines.sequential_simulator import UPSequentialSimulator
from unified_planning.io import PDDLReader

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.games.household_text import terms
from envsuite.kit.things import HELD, MOST, OPENABLE, ROOM
from envsuite.registry import build

SOURCE = (
    "alfred.pddl of the package alfworld 0.4.2, run by unified-planning 1.3.0. Each episode has a level of "
    "HouseholdText and steps: [the actions that PDDL allows, without those that only look; whether PDDL's goal holds; "
    "the next action]."
)

SIZES = [dict(receptacles=5, objects=6), dict(receptacles=8, objects=12), dict(receptacles=10, objects=16)]
NO_EFFECT = ("look", "inventory", "examineReceptacle", "examineObject", "help")


def word(text):
    """A name as PDDL can have it."""
    return text.replace(" ", "_")


def rtype(kind):
    special = {terms.SINK: "SinkBasinType", terms.MICROWAVE: "MicrowaveType", terms.FRIDGE: "FridgeType"}
    return special.get(kind, f"r_{word(terms.RECEPTACLE_KINDS[kind])}")


def otype(kind):
    name = terms.OBJECT_KINDS[kind]
    return "KnifeType" if name == "knife" else f"o_{word(name)}"


def domain_text(path):
    text = re.sub(r";[^\n]*", "", open(path).read())
    for name in NO_EFFECT:
        start = text.index(f"(:action {name}\n")
        depth, end = 0, start
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[:start] + text[end:]
    text = re.sub(r"\bobject\b", "obj", text).replace("(distance ?from ?to)", "")
    kinds = range(len(terms.RECEPTACLE_KINDS)), range(len(terms.OBJECT_KINDS))
    constants = f"{' '.join(map(rtype, kinds[0]))} - rtype {' '.join(map(otype, kinds[1]))} ButterKnifeType - otype"
    return text.replace("(:predicates", f"(:constants {constants})\n(:predicates", 1)


def goal_text(s):
    """ALFWorld's goals, as its goal library has them."""
    obj, recep = otype(int(s.level.item)), rtype(int(s.level.target))
    extra = {
        terms.CLEANED: "(cleanable ?o) (isClean ?o)",
        terms.HEATED: "(heatable ?o) (isHot ?o)",
        terms.COOLED: "(coolable ?o) (isCool ?o)",
    }.get(int(s.level.task), "")
    if s.level.task == terms.TWO:
        return (
            f"(exists (?r - receptacle) (exists (?o - obj) (and (objectType ?o {obj}) (receptacleType ?r {recep}) "
            f"(inReceptacle ?o ?r) (exists (?p - obj) (and (not (= ?o ?p)) (objectType ?p {obj}) "
            "(inReceptacle ?p ?r))))))"
        )
    if s.level.task == terms.LOOKED:
        lamps = "(or (objectType ?t o_desk_lamp) (objectType ?t o_floor_lamp))"
        return (
            f"(and (exists (?t - obj ?r - receptacle ?a - agent ?l - location) (and {lamps} (toggleable ?t) "
            "(isToggled ?t) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?t ?r))) "
            f"(exists (?o - obj ?a - agent) (and (objectType ?o {obj}) (holds ?a ?o))))"
        )
    return (
        f"(exists (?r - receptacle) (exists (?o - obj) (and {extra} (objectType ?o {obj}) (receptacleType ?r {recep}) "
        "(inReceptacle ?o ?r))))"
    )


def problem_text(s):
    here = [k for k in range(terms.PLACES) if s.places[k] == ROOM]
    things = [k for k in range(terms.PLACES, MOST) if s.places[k] < terms.PLACES]
    names = {k: word(terms.NAMES[k]) for k in here + things}
    facts = ["(atLocation agent1 loc_start)"]
    for k in here:
        facts.append(f"(receptacleAtLocation {names[k]} loc_{names[k]})")
        facts.append(f"(receptacleType {names[k]} {rtype(terms.KIND[k])})")
        if terms.TRAITS[k] & OPENABLE:
            facts.append(f"(openable {names[k]})")
    for k in things:
        place, traits = names[int(s.places[k])], int(terms.TRAITS[k])
        facts += [f"(inReceptacle {names[k]} {place})", f"(objectAtLocation {names[k]} loc_{place})"]
        facts.append(f"(objectType {names[k]} {otype(terms.KIND[k])})")
        for trait, predicate in (
            (terms.CLEANABLE, "cleanable"), (terms.HEATABLE, "heatable"), (terms.COOLABLE, "coolable"),
            (terms.SLICEABLE, "sliceable"), (terms.LAMP, "toggleable"), (1, "pickupable"),
        ):  # fmt: skip
            if traits & trait:
                facts.append(f"({predicate} {names[k]})")
    for kind, row in enumerate(terms.LIKELY):
        facts += [f"(canContain {rtype(place)} {otype(kind)})" for place in np.flatnonzero(row)]
    objects = f"agent1 - agent loc_start {' '.join(f'loc_{names[k]}' for k in here)} - location "
    objects += f"{' '.join(names[k] for k in here)} - receptacle {' '.join(names[k] for k in things)} - obj"
    return (
        f"(define (problem chore) (:domain alfred) (:objects {objects}) (:init {' '.join(facts)} (= (total-cost) 0)) "
        f"(:goal {goal_text(s)}))"
    )


def ground(s, action):
    """The action in PDDL, or None for one that only looks."""
    verb, one, other = terms.TABLE[action].tolist()
    at = "start" if s.at == HELD else word(terms.NAMES[s.at])
    loc, name = f"loc_{at}", word(terms.NAMES[one])
    if verb == terms.GOES:
        return "GotoLocation", ("agent1", loc, f"loc_{name}", name)
    if verb in (terms.OPENS, terms.CLOSES):
        return {terms.OPENS: "OpenObject", terms.CLOSES: "CloseObject"}[verb], ("agent1", loc, name)
    if verb == terms.TAKES:
        return "PickupObject", ("agent1", loc, name, at)
    if verb in (terms.PUTS_IN, terms.PUTS_ON):
        kinds = otype(terms.KIND[one]), rtype(terms.KIND[other])
        return "PutObject", ("agent1", loc, name, word(terms.NAMES[other]), *kinds)
    if verb in (terms.CLEANS, terms.HEATS, terms.COOLS):
        label = {terms.CLEANS: "CleanObject", terms.HEATS: "HeatObject", terms.COOLS: "CoolObject"}[verb]
        return label, ("agent1", loc, at, name)
    if verb == terms.USES:
        return "ToggleObject", ("agent1", loc, name, at)
    if verb == terms.SLICES:
        held = next((k for k in range(MOST) if s.places[k] == HELD), one)
        return "SliceObject", ("agent1", loc, name, word(terms.NAMES[held]))
    return None


def record(domain, seed, size, rng, level=None, script=()):
    world = build("envsuite/HouseholdText-v0", {**size, "horizon": 10_000})
    batch = Batch(world, 1)
    batch.start(seed, level)
    s, player = batch.record(), make_policy("searcher", world)
    player.reset(seed, 1)
    problem = PDDLReader().parse_problem_string(domain, problem_text(s))
    simulator, steps = UPSequentialSimulator(problem), []
    state = simulator.get_initial_state()
    there = {obj.name for obj in problem.all_objects}

    def in_problem(found):
        """The action and its parameters as objects, or None; the reader makes all names small."""
        names = [name.lower() for name in found[1]] if found else [""]
        if not set(names) <= there:
            return None
        return problem.action(found[0].lower()), [problem.object(name) for name in names]

    def possible(action):
        found = in_problem(ground(s, action))
        return found is not None and simulator.is_applicable(state, *found)

    for k in range(24):
        allowed = [action for action in range(len(terms.TABLE)) if possible(action)]
        reached = bool(simulator.is_goal(state))
        if reached or s.terminated[0]:
            steps.append([allowed, int(reached), -1])
            break
        legal = [action for action in allowed if batch.masks[0, 0, action]]
        moves = [action for action in legal if terms.TABLE[action, 0] == terms.GOES]
        acts = [action for action in legal if terms.TABLE[action, 0] != terms.GOES]
        action = rng.choice(acts if acts and rng.random() < 0.6 else moves if rng.random() < 0.85 else legal)
        if seed % 2 and rng.random() < 0.85:
            wanted = int(player.act_batch(batch.observations, batch.masks, [0])[0, 0])
            action = wanted if wanted in legal else action
        if script:
            action = world.action_names[0].index(script[k])
        steps.append([allowed, int(reached), action])
        state = simulator.apply(state, *in_problem(ground(s, action)))
        batch.step(action)
    return {"level": world.get_level(s), "steps": steps}


#: A house with a knife, and what is done with it.
KITCHEN = {
    "task": "place", "item": "bread", "target": "bin",
    "receptacles": ["counter 1", "drawer 1", "fridge", "sink", "bin"],
    "objects": {"knife 1": "drawer 1", "apple 1": "counter 1", "apple 2": "fridge", "bread 1": "counter 1"},
}  # fmt: skip
SLICING = (
    "go to drawer 1", "open drawer 1", "take knife 1", "close drawer 1", "go to counter 1", "slice apple 1",
    "slice bread 1", "go to sink", "clean knife 1", "go to fridge", "open fridge", "slice apple 2", "go to sink",
    "put knife 1 in sink", "go to counter 1", "take bread 1", "go to bin", "put bread 1 in bin", "look",
)  # fmt: skip


def main():
    up.get_environment().credits_stream = None
    rng, domain, episodes = random.Random(1), domain_text(sys.argv[1]), []
    for seed in range(16):
        episodes.append(record(domain, seed, SIZES[seed % len(SIZES)], rng))
        print(seed, len(episodes[-1]["steps"]), episodes[-1]["level"]["task"], file=sys.stderr)
    episodes.append(record(domain, 0, SIZES[0], rng, KITCHEN, SLICING))
    json.dump({"source": SOURCE, "episodes": episodes}, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
