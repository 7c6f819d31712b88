"""The rules of ScienceLab as kernels: heat, circuits, mixing and growth, subgoals, and what is possible."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.games.science_lab import terms
from envsuite.kit.things import (
    GONE,
    HELD,
    MOST,
    ON,
    OPEN,
    PORTABLE,
    ROOM,
    end_state,
    has_state,
    holds,
    may_close,
    may_open,
    may_put,
    may_take,
    set_state,
    shut,
)

#: The steps of growth after which a plant has fruit.
GROWN = terms.STAGE * terms.STAGES


# Commands.


@kernel
def act(s, verb, one, other):
    """Do what a command says."""
    if verb == terms.GOES:
        s.room = one
    elif verb == terms.OPENS:
        set_state(s, one, OPEN)
    elif verb == terms.CLOSES:
        end_state(s, one, OPEN)
    elif verb == terms.TAKES:
        s.places[one] = HELD
    elif verb == terms.PUTS_IN or verb == terms.PUTS_ON or verb == terms.PLANTS:
        s.places[one] = other
    elif verb == terms.POURS:
        s.places[one] = other
        if one == terms.WATER and other == terms.POT:  # it seeps away
            s.places[terms.WATER] = GONE
            s.wet = terms.WET_STEPS
    elif verb == terms.MIXES_IN:
        mix(s, one)
    elif verb == terms.TURNS_ON:
        set_state(s, one, ON)
    elif verb == terms.TURNS_OFF:
        end_state(s, one, ON)
    elif verb == terms.CONNECTS:
        s.ends[one - terms.FIRST_WIRE, 0 if s.ends[one - terms.FIRST_WIRE, 0] < 0 else 1] = other
        s.places[one] = s.places[other]
    elif verb == terms.DISCONNECTS:
        s.ends[one - terms.FIRST_WIRE, 0] = -1
        s.ends[one - terms.FIRST_WIRE, 1] = -1
    elif verb == terms.MEASURES:
        s.reading[0] = one
        s.reading[1] = np.int64(np.floor(s.heat[one - terms.FIRST_MELTABLE] + 0.5))
    elif verb == terms.FOCUSES:
        s.focus = one


@kernel
def mix(s, vessel):
    """Make one paint of the first two in a vessel that fit."""
    for k in range(terms.MIXES.shape[0]):
        one, other, made = terms.MIXES[k, 0], terms.MIXES[k, 1], terms.MIXES[k, 2]
        if s.places[one] == vessel and s.places[other] == vessel and s.places[made] == GONE:
            s.places[one] = GONE
            s.places[other] = GONE
            s.places[made] = vessel
            return


# Circuits. A thing has two contacts, each for one wire; so wires and things form chains and rings.


@kernel
def contacts_used(s, thing):
    """The number of wires at a thing."""
    count = 0
    for wire in range(terms.WIRES):
        count += s.ends[wire, 0] == thing
        count += s.ends[wire, 1] == thing
    return count


@large_kernel
def next_wire(s, thing, last):
    """The first wire at a thing other than the last one, or -1."""
    for wire in range(terms.WIRES):
        if wire != last and (s.ends[wire, 0] == thing or s.ends[wire, 1] == thing):
            return wire
    return -1


@large_kernel
def chain(s, wire):
    """The things, a bit each, that one comes to from the battery along a wire; the battery too if the chain closes."""
    found, thing = np.int64(0), np.int64(terms.BATTERY)
    for _ in range(terms.WIRES):
        if wire < 0:
            break
        one, other = np.int64(s.ends[wire, 0]), np.int64(s.ends[wire, 1])
        thing = other if one == thing else one
        if thing < 0:
            break
        found |= np.int64(1) << thing
        if thing == terms.BATTERY:
            break
        wire = next_wire(s, thing, wire)
    return found


@kernel
def conducts(s, thing):
    """Whether current can flow through a thing with contacts."""
    if thing == terms.SWITCH:
        return has_state(s, thing, ON)
    if thing >= terms.STRANGE:
        return s.level.conducts[thing - terms.STRANGE] != 0
    return thing < terms.FIRST_SAMPLE or terms.CONDUCTS[thing - terms.FIRST_SAMPLE] != 0


@large_kernel
def ring(s):
    """The things, a bit each, that wires join to a ring with the battery; 0 if there is no ring."""
    found = chain(s, next_wire(s, terms.BATTERY, -1))
    return found if found >> terms.BATTERY & 1 else np.int64(0)


@kernel
def flow(s):
    """Run what is in a ring with the battery through which current flows, and nothing else."""
    found = ring(s)
    for thing in range(terms.BATTERY, terms.FIRST_SAMPLE + terms.SAMPLES):
        if found >> thing & 1 and not conducts(s, thing):
            found = np.int64(0)
    for thing in range(terms.BULB, terms.BUZZER + 1):
        end_state(s, thing, ON)
        if found >> thing & 1:
            set_state(s, thing, ON)


@large_kernel
def at_battery(s, thing):
    """Whether wires lead from the battery to a thing, perhaps through others."""
    first = next_wire(s, terms.BATTERY, -1)
    if first < 0:
        return False
    return (chain(s, first) | chain(s, next_wire(s, terms.BATTERY, first))) >> thing & 1 != 0


# Heat.


@large_kernel
def around(s, thing):
    """The temperature of what is around a substance: of where its vessel is."""
    vessel = np.int64(s.places[thing])
    place = np.int64(s.places[vessel]) if vessel < HELD else vessel
    if place == terms.STOVE and has_state(s, terms.STOVE, ON):
        return terms.STOVE_HEAT
    if place == terms.FURNACE and has_state(s, terms.FURNACE, ON):
        return terms.FURNACE_HEAT
    return terms.FREEZER_COLD if place == terms.FREEZER and shut(s, terms.TRAITS, terms.FREEZER) else terms.AIR


@kernel
def melting_point(s, thing):
    """The temperature above which a substance is liquid."""
    return np.float64(s.level.melts) if thing == terms.POWDER else terms.MELTS[thing - terms.FIRST_MELTABLE]


@kernel
def warm(s):
    """Change all temperatures, and the states that follow from them."""
    for k in range(terms.MELTABLE):
        thing = terms.FIRST_MELTABLE + k
        if s.places[thing] != GONE:
            s.heat[k] += terms.RATE * (around(s, thing) - s.heat[k])
        set_phase(s, thing)


@kernel
def set_phase(s, thing):
    """Make a substance solid, liquid or gaseous by its temperature."""
    heat = s.heat[thing - terms.FIRST_MELTABLE]
    end_state(s, thing, terms.LIQUID | terms.GAS)
    if heat >= terms.BOILS[thing - terms.FIRST_MELTABLE]:
        set_state(s, thing, terms.GAS)
    elif heat > melting_point(s, thing):
        set_state(s, thing, terms.LIQUID)


# Plants.


@kernel
def daylight(s):
    """Whether the flower pot is in the greenhouse or in the garden, carried or on furniture that is not closed."""
    place, room = np.int64(s.places[terms.POT]), ROOM + np.int64(s.room)
    if place < HELD:
        if shut(s, terms.TRAITS, place):
            return False
        room = np.int64(s.places[place])
    return room == ROOM + terms.GREENHOUSE or room == ROOM + terms.GARDEN


@kernel
def grow(s):
    """Seeds grow in a wet pot with soil in daylight; the pot dries."""
    growing = s.wet > 0 and s.places[terms.SOIL] == terms.POT and daylight(s)
    for k in range(terms.SEEDS):
        plant = terms.FIRST_SEED + k
        if growing and s.places[plant] == terms.POT and s.age[k] < GROWN:
            s.age[k] += 1
            if s.age[k] == terms.STAGE:
                set_state(s, plant, terms.SPROUT)
            elif s.age[k] == 3 * terms.STAGE:
                set_state(s, plant, terms.BLOOM)
            elif s.age[k] == GROWN:
                set_state(s, plant, terms.FRUIT)
    if s.wet > 0:
        s.wet -= 1
    end_state(s, terms.POT, terms.WET)
    if s.wet > 0:
        set_state(s, terms.POT, terms.WET)


@kernel
def pass_time(s):
    """One step of time: the tap runs, things heat up and cool down, plants grow, current flows."""
    if has_state(s, terms.SINK, ON) and s.places[terms.SINK] != GONE and s.places[terms.WATER] == GONE:
        s.places[terms.WATER] = terms.SINK
        s.heat[terms.WATER - terms.FIRST_MELTABLE] = terms.TAP
    warm(s)
    grow(s)
    flow(s)


# Subgoals.


@large_kernel
def is_focus_right(s, thing):
    """Whether a thing is one that the task says to focus on."""
    task = s.level.task
    if task == terms.FIND:
        return terms.OF_SORT[s.level.target, thing]
    if task == terms.MEASURE:
        return thing == right_box(s)
    return thing == s.level.target


@large_kernel
def right_box(s):
    """The box that stands for the answer of `measure` or `conduct`, or the box of `find`."""
    if s.level.task == terms.FIND:
        return np.int64(s.level.box)
    if s.level.task == terms.MEASURE:
        return np.int64(terms.RED_BOX if s.level.melts > s.level.limit else terms.BLUE_BOX)
    return np.int64(terms.RED_BOX if conducts(s, s.level.target) else terms.BLUE_BOX)


@large_kernel
def reached(s, k):
    """Whether subgoal k of the task is reached now."""
    task, target, focus = np.int64(s.level.task), np.int64(s.level.target), np.int64(s.focus)
    focused = focus >= 0 and is_focus_right(s, focus)
    if task <= terms.FREEZE:
        return phase_reached(s, task, target, focused, k)
    if task == terms.MEASURE:
        if k == 0:
            return s.reading[0] == terms.POWDER
        return has_state(s, terms.POWDER, terms.LIQUID) if k == 1 else focused
    if task == terms.POWER:
        return focused if k == 0 else at_battery(s, target) if k == 1 else focused and has_state(s, target, ON)
    if task == terms.CONDUCT:
        if k == 1:
            found = ring(s)
            return found >> target & 1 != 0 and found >> terms.BULB & 7 != 0
        return at_battery(s, target) if k == 0 else s.places[target] == right_box(s)
    if task == terms.MIX:
        return ingredients_together(s, target) if k == 0 else s.places[target] != GONE if k == 1 else focused
    if task == terms.GROW:
        planted = s.places[target] == terms.POT and s.places[terms.SOIL] == terms.POT
        state = terms.SPROUT if k == 1 else terms.FRUIT
        return planted if k == 0 else has_state(s, target, state) and (k == 1 or focused)
    if k == 0:
        return focused
    return focused and (holds(s, focus) if k == 1 else s.places[focus] == s.level.box)


@kernel
def phase_reached(s, task, target, focused, k):
    """Subgoals of `boil`, `melt` and `freeze`: focus; where it is hot or cold enough; the state itself."""
    if k == 0:
        return focused
    there = around(s, target) if s.places[target] != GONE else terms.AIR
    if k == 1:
        if task == terms.BOIL:
            return there >= terms.BOILS[target - terms.FIRST_MELTABLE]
        return there > melting_point(s, target) if task == terms.MELT else there <= melting_point(s, target)
    if not focused or s.places[target] == GONE:
        return False
    if task == terms.BOIL:
        return has_state(s, target, terms.GAS)
    return (
        has_state(s, target, terms.LIQUID) if task == terms.MELT else not has_state(s, target, terms.LIQUID | terms.GAS)
    )


@kernel
def ingredients_together(s, paint):
    """Whether two paints that make a paint are in one vessel."""
    for k in range(terms.MIXES.shape[0]):
        place = s.places[terms.MIXES[k, 0]]
        if terms.MIXES[k, 2] == paint and place != GONE and place == s.places[terms.MIXES[k, 1]]:
            return True
    return False


@large_kernel
def failed(s):
    """Whether the focus is wrong, or the thing of `conduct` is in the wrong box."""
    if s.focus >= 0 and not is_focus_right(s, s.focus):
        return True
    place = s.places[s.level.target]
    return (
        s.level.task == terms.CONDUCT and (place == terms.RED_BOX or place == terms.BLUE_BOX) and place != right_box(s)
    )


@kernel
def score(s):
    """The points so far."""
    points = 0
    for k in range(3):
        points += terms.POINTS[k] * s.done[k]
    return points


@large_kernel
def update_subgoals(s):
    """Note the subgoals that are reached now; a wrong answer reaches none."""
    for k in range(3):
        if s.done[k] == 0 and not failed(s) and reached(s, k):
            s.done[k] = 1


# What is possible.


@large_kernel
def is_fast(s, thing):
    """Whether a thing cannot be taken: it is at a wire, or has taken root."""
    if terms.TRAITS[thing] & terms.WIRE != 0:
        wire = thing - terms.FIRST_WIRE
        return s.ends[wire, 0] >= 0 or s.ends[wire, 1] >= 0
    return has_state(s, thing, terms.SPROUT) or contacts_used(s, thing) > 0


@kernel
def may_connect(s, wire, thing):
    """Whether a wire and a thing that are in sight have free ends, and a wire with one end used lies there."""
    number = wire - terms.FIRST_WIRE
    one, other = np.int64(s.ends[number, 0]), np.int64(s.ends[number, 1])
    if s.visible[wire] == 0 or s.places[thing] == HELD or (one >= 0 and other >= 0) or contacts_used(s, thing) > 1:
        return False
    return (one < 0 and other < 0) or (one != thing and other != thing and s.places[wire] == s.places[thing])


@kernel
def allow_puts(s, mask, thing):
    """Allow to put a thing that is carried where it can be."""
    for place in range(terms.BLUE_BOX + 1):
        if may_put(s, terms.TRAITS, thing, place):
            mask[terms.PUT[thing, place]] = 1
    if terms.PUT[thing, terms.POT] >= 0 and may_put(s, terms.TRAITS, thing, terms.POT):
        mask[terms.PUT[thing, terms.POT]] = 1


@kernel
def allow_pours(s, mask, thing):
    """Allow to pour a substance that is seen into other vessels."""
    if s.visible[thing] == 0 or has_state(s, thing, terms.GAS):
        return
    for vessel in range(terms.BLUE_BOX + 1, terms.POT + 1):
        if terms.POUR[thing, vessel] >= 0 and s.visible[vessel] != 0 and s.places[thing] != vessel:
            if vessel != terms.POT or thing == terms.WATER or thing == terms.SOIL:
                mask[terms.POUR[thing, vessel]] = 1


@kernel
def allow_uses(s, mask, thing):
    """Allow what can be done with a thing that is seen, other than to take, put or pour it."""
    traits = terms.TRAITS[thing]
    if may_open(s, terms.TRAITS, thing):
        mask[terms.OPEN_IT[thing]] = 1
    if may_close(s, terms.TRAITS, thing):
        mask[terms.CLOSE_IT[thing]] = 1
    if traits & terms.SWITCHED != 0:
        mask[terms.TURN_OFF[thing] if has_state(s, thing, ON) else terms.TURN_ON[thing]] = 1
    if traits & terms.CONTACTS != 0:
        for wire in range(terms.FIRST_WIRE, terms.FIRST_WIRE + terms.WIRES):
            if may_connect(s, wire, thing):
                mask[terms.CONNECT[wire, thing]] = 1
    if traits & terms.WIRE != 0 and is_fast(s, thing):
        mask[terms.DISCONNECT[thing]] = 1
    if terms.MEASURE_IT[thing] >= 0 and s.places[terms.THERMOMETER] == HELD:
        mask[terms.MEASURE_IT[thing]] = 1
    if terms.FOCUS[thing] >= 0:
        mask[terms.FOCUS[thing]] = 1


@kernel
def allow_mix(s, mask, vessel):
    """Allow to mix what is in a vessel if there are two substances."""
    count = 0
    for thing in range(terms.FIRST_MELTABLE, MOST):
        count += s.places[thing] == vessel
    if count >= 2:
        mask[terms.MIX_IN[vessel]] = 1


@large_kernel
def allow(s, mask):
    """Set the mask of possible commands."""
    mask[terms.LOOK] = mask[terms.INVENTORY] = mask[terms.WAIT] = 1
    for side in range(4):
        if s.exits[s.room, side] >= 0:
            mask[terms.GO[s.exits[s.room, side]]] = 1
    for thing in range(MOST):
        if s.visible[thing] == 0:
            continue
        traits = terms.TRAITS[thing]
        allow_uses(s, mask, thing)
        if may_take(s, terms.TRAITS, thing) and not is_fast(s, thing):
            mask[terms.TAKE[thing]] = 1
        if traits & PORTABLE != 0 and holds(s, thing):
            allow_puts(s, mask, thing)
        if traits & terms.SUBSTANCE != 0:
            allow_pours(s, mask, thing)
        if traits & terms.VESSEL != 0:
            allow_mix(s, mask, thing)
    if s.visible[terms.CHART]:
        mask[terms.READ] = 1
