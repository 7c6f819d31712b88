"""Record DATC's cases and games of `diplomacy`.

    python tests/data/recorders/diplomacy.py tests/data/Diplomacy/diplomacy.json.gz

diplomacy 1.1.2 must be installed. Orders are short for our actions: "h" hold, "-BUR" to BUR, "~NWY" to NWY by convoy,
"sVEN" or "sVEN TYR" support VEN, which holds or goes to TYR, "cLON NWY" convoy LON, to NWY, "d" disband, "A PAR" or
"F STP/NC" build, "w" waive, or leave disbands to the rules.

"datc" holds each phase that the package's tests of DATC process:

- case: such as "6.A.1"; phase: M moves, R retreats (of the phase before), A adjustments.
- units, centers: before, by power. A unit is such as "F STP/SC".
- orders: [power, province, order, whether the package has it among possible orders and does not ignore it]
- after, retreats: units by power, and the retreats of each dislodged unit that has any.
- results: of such moves and supports: + succeeds, - fails, ! is dislodged.

"games" holds games with random orders; in half of them, many orders are supports and convoys of others. Two kinds of
orders are left out, because the package does not follow the rules there: supports of a convoyed army against a unit of
the supporting power, which it counts, and retreats from a convoyed attack to where other units bounced.

- orders: of each phase, by power, those of its units in the order of provinces.
- legal: of each phase, a checksum of the first halves of all legal orders, and of second ones of chosen supports.
- after: of each phase, a checksum of units, dislodged units and centers.
"""

import gzip
import json
import pathlib
import random
import sys
import zlib

from diplomacy.engine.game import Game
from diplomacy.tests.test_datc import TestDATC

GAMES, LAST = 100, 1904

_move_results = Game._move_results


def move_results(game):
    """The package lets a unit that was dislodged by convoy retreat to where others bounced; this takes it out."""
    found = _move_results(game)
    for power in game.powers.values():
        for unit, places in power.retreats.items():
            power.retreats[unit] = [place for place in places if not game.combat.get(place[:3])]
    return found


Game._move_results = move_results


def crc(words):
    return f"{zlib.crc32(words.encode()) & 0xFFFF:04x}"


def goes_by_convoy(game, army, target, fleets):
    """Whether the package takes a move for one by convoy, given all orders."""
    if not game._abuts("A", army[2:], "-", target):
        return True
    owner = game._unit_owner(army, coast_required=0)
    wanted = f"C A {army[2:5]} - {target[:3]}"
    return any(
        order == wanted and game._unit_owner(fleet) is owner and game._has_convoy_path("A", army[2:], target, fleet[2:])
        for fleet, order in fleets.items()
    )


def short(game, order, everything):
    """An order of the package in our words."""
    words = order.split()
    unit, rest = " ".join(words[:2]), words[2:]
    if rest[0] == "H":
        return "h"
    if rest[0] == "D":
        return "d"
    if rest[0] == "B":
        return unit
    if rest[0] == "R":
        return f"-{rest[1]}"
    if rest[0] == "-":
        target = rest[-2] if rest[-1] == "VIA" else rest[-1]
        carried = unit[0] == "A" and (rest[-1] == "VIA" or goes_by_convoy(game, unit, target, everything))
        return f"{'~' if carried else '-'}{target}"
    places = [word[:3] for word in rest[1:] if len(word) > 1 and word[0].isalpha()]
    return f"{rest[0].lower()}{' '.join(places)}"


# DATC.


def by_power(game, part):
    return {power.name.lower(): sorted(getattr(power, part)) for power in game.powers.values() if getattr(power, part)}


def outcome(order, result):
    """The result of an order in our words, or nothing if the package ignores it or calls a support useless."""
    words = {str(word) for word in result}
    if "void" in words or (order[0] == "S" and "no convoy" in words):
        return ""
    return "!" if "dislodged" in words else "-" if words & {"bounce", "cut", "no convoy"} else "+"


def retreats_of(game):
    """The retreats of each dislodged unit that has any."""
    taken = {unit[2:5] for power in game.powers.values() for unit in power.units}
    found = {}
    for power in game.powers.values():
        for unit, places in power.retreats.items():
            if free := sorted(place for place in places if place[:3] not in taken):
                found[unit] = free
    return found


def record_datc():
    phases, raw, case = [], [], ""
    process, set_orders = Game.process, Game.set_orders

    def noted_orders(game, power, orders, *arguments, **options):
        orders = [orders] if isinstance(orders, str) else orders
        orders = [order.replace("A TUR", "A TYR") for order in orders]  # a slip in 6.D.14
        raw.extend((power, order) for order in orders)
        return set_orders(game, power, orders, *arguments, **options)

    def noted_process(game):
        kind = game.phase_type
        now = {"case": case, "phase": kind, "units": by_power(game, "units")}
        if kind == "A":
            now["centers"] = by_power(game, "centers")
        orders, taken = [], {}
        possible = game.get_all_possible_orders()
        known = {short(game, order, {}) for place in possible for order in possible[place] if order != "WAIVE"}
        if kind == "M":
            everything = {unit: order for power in game.powers.values() for unit, order in power.orders.items()}
            for power in game.powers.values():
                for unit, order in power.orders.items():
                    taken[unit] = unit[2:5]
                    words = short(game, f"{unit} {order}", everything)
                    orders.append([power.name.lower(), unit[2:5], words, words in known])
        else:
            for power in game.powers.values():
                for order in power.adjust:
                    if order.split()[0] not in ("VOID", "WAIVE"):
                        taken[order] = order.split()[1][:3]
                        orders.append([power.name.lower(), order.split()[1][:3], short(game, order, {}), True])
        for power, order in raw:
            words = order.split()
            if len(words) < 3 or (words[1][:3] in taken.values() and kind != "A") or order in taken:
                continue
            orders.append([power.lower(), words[1][:3], short(game, order, {}), False])
        raw.clear()
        process(game)
        now["orders"], now["after"] = orders, by_power(game, "units")
        now["retreats"] = {unit[2:5]: places for unit, places in retreats_of(game).items()}
        found = game.result_history.last_value()
        if kind == "M":
            marks = {u[2:5]: outcome(everything[u], found.get(u, [])) for u in taken if everything[u][0] in "-S"}
            now["results"] = {place: mark for place, mark in marks.items() if mark}
        if kind == "A":
            for order in orders:
                order[3] &= any(unit[2:5] == order[1] and "" in map(str, found[unit]) for unit in found)
        phases.append(now)

    Game.process, Game.set_orders = noted_process, noted_orders
    tests = TestDATC()
    for name in sorted(dir(tests), key=lambda name: [part.zfill(3) for part in name.split("_")]):
        if name.startswith("test_6"):
            case = name[5:].replace("_", ".").upper()
            raw.clear()
            getattr(tests, name)()
    Game.process, Game.set_orders = process, set_orders
    return phases


# Games.


def choose(game, possible, style, rng):
    """An order for each unit; supports and convoys that go with other orders are preferred in the second style."""
    chosen = {}
    places = game.get_orderable_locations()
    units = [(power, place) for power in sorted(places) for place in places[power]]
    rng.shuffle(units)
    for _, place in units:
        options = sorted(possible[place])
        if style == 1:
            helping = [order for order in options if fits(order, chosen)]
            moving = [order for order in options if " - " in order and " S " not in order and " C " not in order]
            kind = rng.random()
            options = helping if helping and kind < 0.6 else moving if moving and kind < 0.9 else options
        chosen[place] = rng.choice(options)
    everything = {" ".join(order.split()[:2]): " ".join(order.split()[2:]) for order in chosen.values()}
    for place, order in chosen.items():
        words = order.split()
        if words[2] == "S" and len(words) > 5 and chosen.get(words[4], "").endswith("VIA"):
            owners = [game._unit_owner(f"{kind} {words[-1]}", coast_required=0) for kind in "AF"]
            if game._unit_owner(" ".join(words[:2])) in owners:
                chosen[place] = " ".join(words[:2]) + " H"  # it would help to dislodge a unit of its own power
        if words[0] == "A" and words[2] == "-" and words[-1] != "VIA":
            if goes_by_convoy(game, " ".join(words[:2]), words[3], everything):
                chosen[place] = " ".join(words[:2]) + " H"  # the package would take it for a move by convoy
    return chosen


def fits(order, chosen):
    """Whether an order helps one that is chosen already."""
    words = order.split()
    if words[2] not in "SC":
        return False
    other = chosen.get(words[4], "").split()
    moves = other[2:3] == ["-"]
    return moves == (len(words) > 5) and bool(other) and (not moves or other[3][:3] == words[-1][:3])


def halves(game, orders, chosen):
    """The first halves of all orders of a unit in our words, and the second ones of the chosen support."""
    words = {short(game, order, {}) for order in orders}
    first = sorted({word[:4] if word[0] in "sc" else word for word in words})
    second = sorted(word[4:] for word in words if chosen[0] == "s" and word[:4] == chosen[:4])
    return f"{','.join(first)}/{','.join(second)};"


def play_moves(game, possible, style, rng):
    """The orders of a phase by power, and what was legal."""
    chosen = choose(game, possible, style, rng)
    everything = {" ".join(order.split()[:2]): " ".join(order.split()[2:]) for order in chosen.values()}
    orders, legal = {}, ""
    for power, places in sorted(game.get_orderable_locations().items()):
        orders[power] = []
        for place in sorted(places, key=lambda place: place[:3]):
            order = chosen[place]
            words = short(game, order, everything)
            orders[power].append(words)
            legal += halves(game, possible[place], words)
        game.set_orders(power, [chosen[place] for place in places])
    return orders, legal


def play_retreats(game, possible, rng):
    orders, legal = {}, ""
    for power in sorted(game.powers):
        orders[power], given = [], []
        for unit in sorted(game.powers[power].retreats, key=lambda unit: unit[2:]):
            options = sorted(order for order in possible[unit[2:]] if order.startswith(unit))
            order = rng.choice(options)
            given.append(order)
            if len(options) > 1:
                orders[power].append(short(game, order, {}))
                legal += ",".join(sorted(short(game, option, {}) for option in options)) + ";"
        game.set_orders(power, given)
    return orders, legal


def play_adjustments(game, possible, rng):
    orders = {}
    for name, power in sorted(game.powers.items()):
        due = len(power.centers) - len(power.units)
        orders[name], given = [], []
        if due > 0:
            free = game._build_sites(power)
            for _ in range(min(due, len(free))):
                options = [o for s in free for loc in game.map.find_coasts(s) for o in possible[loc] if o != "WAIVE"]
                order = rng.choice(sorted(set(options))) if rng.random() < 0.9 else "WAIVE"
                given.append(order)
                orders[name].append("w" if order == "WAIVE" else short(game, order, {}))
                free = [s for s in free if order == "WAIVE" or s != order.split()[1][:3]]
        elif due < 0:
            units = sorted(power.units, key=lambda unit: unit[2:])
            for _ in range(-due):
                if rng.random() < 0.3:
                    orders[name].append("w")
                    break
                unit = units.pop(rng.randrange(len(units)))
                given.append(f"{unit} D")
                orders[name].append(f"d{unit[2:5]}")
        game.set_orders(name, given)
    return orders, ""


def board(game):
    """Units, dislodged units and centers."""
    words = []
    for name, power in sorted(game.powers.items()):
        units = [unit for unit in power.units if unit[0] != "*"]
        words.append(f"{name.lower()}: {','.join(sorted(units, key=lambda unit: unit[2:]))}")
        movable = [unit for unit in power.retreats if unit in retreats_of(game)]
        words.append(",".join(sorted(movable, key=lambda unit: unit[2:])))
        words.append(",".join(sorted(power.centers)))
    return ";".join(words)


def record_game(seed):
    game, rng = Game(), random.Random(seed)
    found = {"orders": [], "legal": [], "after": []}
    while not game.is_game_done and int(game.phase.split()[1]) <= LAST:
        possible = game.get_all_possible_orders()
        if game.phase_type == "M":
            orders, legal = play_moves(game, possible, seed % 2, rng)
        elif game.phase_type == "R":
            orders, legal = play_retreats(game, possible, rng)
        else:
            orders, legal = play_adjustments(game, possible, rng)
        game.process()
        while game.phase_type == "R" and not retreats_of(game):
            game.process()  # nobody has a choice
        found["orders"].append("|".join(",".join(orders.get(power, [])) for power in sorted(game.powers)))
        found["legal"].append(crc(legal))
        found["after"].append(crc(board(game)))
    return found


if __name__ == "__main__":
    data = {"source": "diplomacy 1.1.2", "last": LAST, "datc": record_datc()}
    data["games"] = [record_game(seed) for seed in range(GAMES)]
    print(len({phase["case"] for phase in data["datc"]}), sum(len(game["orders"]) for game in data["games"]))
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    pathlib.Path(sys.argv[1]).write_bytes(packed)
