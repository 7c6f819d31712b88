"""The rules of ScienceLab as kernels: heat, circuits, mixing and growth, subgoals, and what is possible."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.generators.experiment_terms import (
    AIR,
    BATTERY,
    BLOOM,
    BLUE_BOX,
    BOIL,
    BOILS,
    BULB,
    BUZZER,
    CHART,
    CLOSE_IT,
    CLOSES,
    CONDUCT,
    CONDUCTS,
    CONNECT,
    CONNECTS,
    CONTACTS,
    DISCONNECT,
    DISCONNECTS,
    FIND,
    FIRST_MELTABLE,
    FIRST_SAMPLE,
    FIRST_SEED,
    FIRST_WIRE,
    FOCUS,
    FOCUSES,
    FREEZE,
    FREEZER,
    FREEZER_COLD,
    FRUIT,
    FURNACE,
    FURNACE_HEAT,
    GARDEN,
    GAS,
    GO,
    GOES,
    GREENHOUSE,
    GROW,
    INVENTORY,
    LIQUID,
    LOOK,
    MEASURE,
    MEASURE_IT,
    MEASURES,
    MELT,
    MELTABLE,
    MELTS,
    MIX,
    MIX_IN,
    MIXES,
    MIXES_IN,
    OF_SORT,
    OPEN_IT,
    OPENS,
    PLANTS,
    POINTS,
    POT,
    POUR,
    POURS,
    POWDER,
    POWER,
    PUT,
    PUTS_IN,
    PUTS_ON,
    RATE,
    READ,
    RED_BOX,
    SAMPLES,
    SEEDS,
    SINK,
    SOIL,
    SPROUT,
    STAGE,
    STAGES,
    STOVE,
    STOVE_HEAT,
    STRANGE,
    SUBSTANCE,
    SWITCH,
    SWITCHED,
    TAKE,
    TAKES,
    TAP,
    THERMOMETER,
    TRAITS,
    TURN_OFF,
    TURN_ON,
    TURNS_OFF,
    TURNS_ON,
    VESSEL,
    WAIT,
    WATER,
    WET,
    WET_STEPS,
    WIRE,
    WIRES,
)
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
GROWN = STAGE * STAGES


# Commands.


@kernel
def act(s, verb, one, other):
    """Do what a command says."""
    if verb == GOES:
        s.room = one
    elif verb == OPENS:
        set_state(s, one, OPEN)
    elif verb == CLOSES:
        end_state(s, one, OPEN)
    elif verb == TAKES:
        s.places[one] = HELD
    elif verb == PUTS_IN or verb == PUTS_ON or verb == PLANTS:
        s.places[one] = other
    elif verb == POURS:
        s.places[one] = other
        if one == WATER and other == POT:  # it seeps away
            s.places[WATER] = GONE
            s.wet = WET_STEPS
    elif verb == MIXES_IN:
        mix(s, one)
    elif verb == TURNS_ON:
        set_state(s, one, ON)
    elif verb == TURNS_OFF:
        end_state(s, one, ON)
    elif verb == CONNECTS:
        s.ends[one - FIRST_WIRE, 0 if s.ends[one - FIRST_WIRE, 0] < 0 else 1] = other
        s.places[one] = s.places[other]
    elif verb == DISCONNECTS:
        s.ends[one - FIRST_WIRE, 0] = -1
        s.ends[one - FIRST_WIRE, 1] = -1
    elif verb == MEASURES:
        s.reading[0] = one
        s.reading[1] = np.int64(np.floor(s.heat[one - FIRST_MELTABLE] + 0.5))
    elif verb == FOCUSES:
        s.focus = one


@kernel
def mix(s, vessel):
    """Make one paint of the first two in a vessel that fit."""
    for k in range(MIXES.shape[0]):
        one, other, made = MIXES[k, 0], MIXES[k, 1], MIXES[k, 2]
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
    for wire in range(WIRES):
        count += s.ends[wire, 0] == thing
        count += s.ends[wire, 1] == thing
    return count


@large_kernel
def next_wire(s, thing, last):
    """The first wire at a thing other than the last one, or -1."""
    for wire in range(WIRES):
        if wire != last and (s.ends[wire, 0] == thing or s.ends[wire, 1] == thing):
            return wire
    return -1


@large_kernel
def chain(s, wire):
    """The things, a bit each, that one comes to from the battery along a wire; the battery too if the chain closes."""
    found, thing = np.int64(0), np.int64(BATTERY)
    for _ in range(WIRES):
        if wire < 0:
            break
        one, other = np.int64(s.ends[wire, 0]), np.int64(s.ends[wire, 1])
        thing = other if one == thing else one
        if thing < 0:
            break
        found |= np.int64(1) << thing
        if thing == BATTERY:
            break
        wire = next_wire(s, thing, wire)
    return found


@kernel
def conducts(s, thing):
    """Whether current can flow through a thing with contacts."""
    if thing == SWITCH:
        return has_state(s, thing, ON)
    if thing >= STRANGE:
        return s.level.conducts[thing - STRANGE] != 0
    return thing < FIRST_SAMPLE or CONDUCTS[thing - FIRST_SAMPLE] != 0


@large_kernel
def ring(s):
    """The things, a bit each, that wires join to a ring with the battery; 0 if there is no ring."""
    found = chain(s, next_wire(s, BATTERY, -1))
    return found if found >> BATTERY & 1 else np.int64(0)


@kernel
def flow(s):
    """Run what is in a ring with the battery through which current flows, and nothing else."""
    found = ring(s)
    for thing in range(BATTERY, FIRST_SAMPLE + SAMPLES):
        if found >> thing & 1 and not conducts(s, thing):
            found = np.int64(0)
    for thing in range(BULB, BUZZER + 1):
        end_state(s, thing, ON)
        if found >> thing & 1:
            set_state(s, thing, ON)


@large_kernel
def at_battery(s, thing):
    """Whether wires lead from the battery to a thing, perhaps through others."""
    first = next_wire(s, BATTERY, -1)
    if first < 0:
        return False
    return (chain(s, first) | chain(s, next_wire(s, BATTERY, first))) >> thing & 1 != 0


# Heat.


@large_kernel
def around(s, thing):
    """The temperature of what is around a substance: of where its vessel is."""
    vessel = np.int64(s.places[thing])
    place = np.int64(s.places[vessel]) if vessel < HELD else vessel
    if place == STOVE and has_state(s, STOVE, ON):
        return STOVE_HEAT
    if place == FURNACE and has_state(s, FURNACE, ON):
        return FURNACE_HEAT
    return FREEZER_COLD if place == FREEZER and shut(s, TRAITS, FREEZER) else AIR


@kernel
def melting_point(s, thing):
    """The temperature above which a substance is liquid."""
    return np.float64(s.level.melts) if thing == POWDER else MELTS[thing - FIRST_MELTABLE]


@kernel
def warm(s):
    """Change all temperatures, and the states that follow from them."""
    for k in range(MELTABLE):
        thing = FIRST_MELTABLE + k
        if s.places[thing] != GONE:
            s.heat[k] += RATE * (around(s, thing) - s.heat[k])
        set_phase(s, thing)


@kernel
def set_phase(s, thing):
    """Make a substance solid, liquid or gaseous by its temperature."""
    heat = s.heat[thing - FIRST_MELTABLE]
    end_state(s, thing, LIQUID | GAS)
    if heat >= BOILS[thing - FIRST_MELTABLE]:
        set_state(s, thing, GAS)
    elif heat > melting_point(s, thing):
        set_state(s, thing, LIQUID)


# Plants.


@kernel
def daylight(s):
    """Whether the flower pot is in the greenhouse or in the garden, carried or on furniture that is not closed."""
    place, room = np.int64(s.places[POT]), ROOM + np.int64(s.room)
    if place < HELD:
        if shut(s, TRAITS, place):
            return False
        room = np.int64(s.places[place])
    return room == ROOM + GREENHOUSE or room == ROOM + GARDEN


@kernel
def grow(s):
    """Seeds grow in a wet pot with soil in daylight; the pot dries."""
    growing = s.wet > 0 and s.places[SOIL] == POT and daylight(s)
    for k in range(SEEDS):
        plant = FIRST_SEED + k
        if growing and s.places[plant] == POT and s.age[k] < GROWN:
            s.age[k] += 1
            if s.age[k] == STAGE:
                set_state(s, plant, SPROUT)
            elif s.age[k] == 3 * STAGE:
                set_state(s, plant, BLOOM)
            elif s.age[k] == GROWN:
                set_state(s, plant, FRUIT)
    if s.wet > 0:
        s.wet -= 1
    end_state(s, POT, WET)
    if s.wet > 0:
        set_state(s, POT, WET)


@kernel
def pass_time(s):
    """One step of time: the tap runs, things heat up and cool down, plants grow, current flows."""
    if has_state(s, SINK, ON) and s.places[SINK] != GONE and s.places[WATER] == GONE:
        s.places[WATER] = SINK
        s.heat[WATER - FIRST_MELTABLE] = TAP
    warm(s)
    grow(s)
    flow(s)


# Subgoals.


@large_kernel
def is_focus_right(s, thing):
    """Whether a thing is one that the task says to focus on."""
    task = s.level.task
    if task == FIND:
        return OF_SORT[s.level.target, thing]
    if task == MEASURE:
        return thing == right_box(s)
    return thing == s.level.target


@large_kernel
def right_box(s):
    """The box that stands for the answer of `measure` or `conduct`, or the box of `find`."""
    if s.level.task == FIND:
        return np.int64(s.level.box)
    if s.level.task == MEASURE:
        return np.int64(RED_BOX if s.level.melts > s.level.limit else BLUE_BOX)
    return np.int64(RED_BOX if conducts(s, s.level.target) else BLUE_BOX)


@large_kernel
def reached(s, k):
    """Whether subgoal k of the task is reached now."""
    task, target, focus = np.int64(s.level.task), np.int64(s.level.target), np.int64(s.focus)
    focused = focus >= 0 and is_focus_right(s, focus)
    if task <= FREEZE:
        return phase_reached(s, task, target, focused, k)
    if task == MEASURE:
        if k == 0:
            return s.reading[0] == POWDER
        return has_state(s, POWDER, LIQUID) if k == 1 else focused
    if task == POWER:
        return focused if k == 0 else at_battery(s, target) if k == 1 else focused and has_state(s, target, ON)
    if task == CONDUCT:
        if k == 1:
            found = ring(s)
            return found >> target & 1 != 0 and found >> BULB & 7 != 0
        return at_battery(s, target) if k == 0 else s.places[target] == right_box(s)
    if task == MIX:
        return ingredients_together(s, target) if k == 0 else s.places[target] != GONE if k == 1 else focused
    if task == GROW:
        planted = s.places[target] == POT and s.places[SOIL] == POT
        state = SPROUT if k == 1 else FRUIT
        return planted if k == 0 else has_state(s, target, state) and (k == 1 or focused)
    if k == 0:
        return focused
    return focused and (holds(s, focus) if k == 1 else s.places[focus] == s.level.box)


@kernel
def phase_reached(s, task, target, focused, k):
    """Subgoals of `boil`, `melt` and `freeze`: focus; where it is hot or cold enough; the state itself."""
    if k == 0:
        return focused
    there = around(s, target) if s.places[target] != GONE else AIR
    if k == 1:
        if task == BOIL:
            return there >= BOILS[target - FIRST_MELTABLE]
        return there > melting_point(s, target) if task == MELT else there <= melting_point(s, target)
    if not focused or s.places[target] == GONE:
        return False
    if task == BOIL:
        return has_state(s, target, GAS)
    return has_state(s, target, LIQUID) if task == MELT else not has_state(s, target, LIQUID | GAS)


@kernel
def ingredients_together(s, paint):
    """Whether two paints that make a paint are in one vessel."""
    for k in range(MIXES.shape[0]):
        place = s.places[MIXES[k, 0]]
        if MIXES[k, 2] == paint and place != GONE and place == s.places[MIXES[k, 1]]:
            return True
    return False


@large_kernel
def failed(s):
    """Whether the focus is wrong, or the thing of `conduct` is in the wrong box."""
    if s.focus >= 0 and not is_focus_right(s, s.focus):
        return True
    place = s.places[s.level.target]
    return s.level.task == CONDUCT and (place == RED_BOX or place == BLUE_BOX) and place != right_box(s)


@kernel
def score(s):
    """The points so far."""
    points = 0
    for k in range(3):
        points += POINTS[k] * s.done[k]
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
    if TRAITS[thing] & WIRE != 0:
        wire = thing - FIRST_WIRE
        return s.ends[wire, 0] >= 0 or s.ends[wire, 1] >= 0
    return has_state(s, thing, SPROUT) or contacts_used(s, thing) > 0


@kernel
def may_connect(s, wire, thing):
    """Whether a wire and a thing that are in sight have free ends, and a wire with one end used lies there."""
    number = wire - FIRST_WIRE
    one, other = np.int64(s.ends[number, 0]), np.int64(s.ends[number, 1])
    if s.visible[wire] == 0 or s.places[thing] == HELD or (one >= 0 and other >= 0) or contacts_used(s, thing) > 1:
        return False
    return (one < 0 and other < 0) or (one != thing and other != thing and s.places[wire] == s.places[thing])


@kernel
def allow_puts(s, mask, thing):
    """Allow to put a thing that is carried where it can be."""
    for place in range(BLUE_BOX + 1):
        if may_put(s, TRAITS, thing, place):
            mask[PUT[thing, place]] = 1
    if PUT[thing, POT] >= 0 and may_put(s, TRAITS, thing, POT):
        mask[PUT[thing, POT]] = 1


@kernel
def allow_pours(s, mask, thing):
    """Allow to pour a substance that is seen into other vessels."""
    if s.visible[thing] == 0 or has_state(s, thing, GAS):
        return
    for vessel in range(BLUE_BOX + 1, POT + 1):
        if POUR[thing, vessel] >= 0 and s.visible[vessel] != 0 and s.places[thing] != vessel:
            if vessel != POT or thing == WATER or thing == SOIL:
                mask[POUR[thing, vessel]] = 1


@kernel
def allow_uses(s, mask, thing):
    """Allow what can be done with a thing that is seen, other than to take, put or pour it."""
    traits = TRAITS[thing]
    if may_open(s, TRAITS, thing):
        mask[OPEN_IT[thing]] = 1
    if may_close(s, TRAITS, thing):
        mask[CLOSE_IT[thing]] = 1
    if traits & SWITCHED != 0:
        mask[TURN_OFF[thing] if has_state(s, thing, ON) else TURN_ON[thing]] = 1
    if traits & CONTACTS != 0:
        for wire in range(FIRST_WIRE, FIRST_WIRE + WIRES):
            if may_connect(s, wire, thing):
                mask[CONNECT[wire, thing]] = 1
    if traits & WIRE != 0 and is_fast(s, thing):
        mask[DISCONNECT[thing]] = 1
    if MEASURE_IT[thing] >= 0 and s.places[THERMOMETER] == HELD:
        mask[MEASURE_IT[thing]] = 1
    if FOCUS[thing] >= 0:
        mask[FOCUS[thing]] = 1


@kernel
def allow_mix(s, mask, vessel):
    """Allow to mix what is in a vessel if there are two substances."""
    count = 0
    for thing in range(FIRST_MELTABLE, MOST):
        count += s.places[thing] == vessel
    if count >= 2:
        mask[MIX_IN[vessel]] = 1


@large_kernel
def allow(s, mask):
    """Set the mask of possible commands."""
    mask[LOOK] = mask[INVENTORY] = mask[WAIT] = 1
    for side in range(4):
        if s.exits[s.room, side] >= 0:
            mask[GO[s.exits[s.room, side]]] = 1
    for thing in range(MOST):
        if s.visible[thing] == 0:
            continue
        traits = TRAITS[thing]
        allow_uses(s, mask, thing)
        if may_take(s, TRAITS, thing) and not is_fast(s, thing):
            mask[TAKE[thing]] = 1
        if traits & PORTABLE != 0 and holds(s, thing):
            allow_puts(s, mask, thing)
        if traits & SUBSTANCE != 0:
            allow_pours(s, mask, thing)
        if traits & VESSEL != 0:
            allow_mix(s, mask, thing)
    if s.visible[CHART]:
        mask[READ] = 1
