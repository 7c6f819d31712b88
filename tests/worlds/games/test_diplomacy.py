"""Diplomacy: DATC's cases, `diplomacy` in lock-step, all outcomes of small positions, each rule, levels, baselines."""

import gzip
import json
import zlib

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError
from envsuite.games import diplomacy as rules
from envsuite.games.diplomacy import Diplomacy
from envsuite.games.diplomacy_map import MAPS

ID = "envsuite/Diplomacy-v0"
RECORDED = json.loads(gzip.decompress((kit.DATA / "diplomacy.json.gz").read_bytes()))
CODES = MAPS["standard"].codes


def actions_of(words):
    """The names of our actions for an order in the recorder's words."""
    if words[0] in "sc":
        verb = {"s": "support", "c": "convoy"}[words[0]]
        return [f"{verb} {words[1:4]}", f"to {words[5:]}" if words[4:] else "hold"]
    if words[0] in "-~":
        return [f"to {words[1:]}" + " by convoy" * (words[0] == "~")]
    if words[:2] in ("A ", "F "):
        return [f"build {'army' if words[0] == 'A' else 'fleet'} {words[2:]}"]
    return [{"h": "hold", "w": "waive", "d": "disband"}[words[0]] + f" {words[1:]}" * (words[0] == "d")]


def is_legal(s, power, k, names, allowed, wanted):
    """Whether both halves of an order are legal for the unit of a province."""
    if wanted[0] not in allowed or len(wanted) == 1:
        return wanted[0] in allowed
    verb, _, other = wanted[0].partition(" ")
    mask = np.zeros(len(names), np.int8)
    picked = {"support": rules.SUPPORT, "convoy": rules.CONVOY}[verb]
    rules.allow_second(s, k, picked, CODES.index(other), mask)
    return bool(mask[names.index(wanted[1])])


def give(batch, orders):
    """Play a phase with a list of [power, province, words, legal]. Units without legal orders hold or are disbanded."""
    s, world = batch.record(), batch.world
    now, queue = (int(s.phase), int(s.year)), {}
    while (int(s.phase), int(s.year)) == now and not batch.over().all():
        batch.actions[:] = 0
        for power in np.flatnonzero(batch.acting[0]).tolist():
            names, k = world.action_names[power], int(s.cursor[power])
            allowed = {names[action] for action in np.flatnonzero(batch.masks[0, power])}
            if not queue.get(power):
                queue[power] = ["waive" if k < 0 else f"disband {CODES[k]}" if now[0] in (1, 3) else "hold"]
                for order in list(orders):
                    owner, place, words, taken = order
                    if owner == world.agents[power] and k in (-1, CODES.index(place)):
                        orders.remove(order)
                        wanted = actions_of(f"d{place}" if words == "d" else words)
                        legal = is_legal(s, power, k, names, allowed, wanted)
                        assert legal == taken or wanted[0][:6] == "convoy"  # some that are useless are legal here
                        if legal:
                            queue[power] = wanted
                            break
            batch.actions[0, power] = names.index(queue[power].pop(0))
        batch.step()


def units_of(s, world, unit="unit", owner="owner", spot="spot"):
    found = {}
    for k in np.flatnonzero(getattr(s, unit)).tolist():
        power = world.agents[getattr(s, owner)[k]]
        found.setdefault(power, []).append(f"{' AF'[getattr(s, unit)[k]]} {CODES[getattr(s, spot)[k]]}")
    return {power: sorted(units) for power, units in found.items()}


CASES = {}
for _phase in RECORDED["datc"]:
    CASES.setdefault(_phase["case"], []).append(_phase)


def placed(phase):
    """A batch in the position of a phase, or None if nobody has anything to order there."""
    season = {"M": "spring", "A": "winter"}[phase["phase"]]
    level = {"season": season, "units": phase["units"], "centers": phase.get("centers", {})}
    try:
        return kit.started(Diplomacy(), level=level)
    except LevelError as error:
        assert "anything to order" in str(error)
        return None


def check_case(phases):
    batch = None
    for phase in phases:
        if phase["phase"] != "R":
            batch = placed(phase)
        if batch is None:
            assert phase["units"] == phase["after"]
            continue
        orders = list(phase["orders"])
        give(batch, orders)
        s, world = batch.record(), batch.world
        assert not [order for order in orders if order[3]]  # all were asked for
        assert units_of(s, world) == phase["after"]
        for place, retreats in phase["retreats"].items():
            k = CODES.index(place)
            names = {CODES[q] for q in rules.WAYS[0, s.beaten[k], s.beaten_spot[k]] if q >= 0 and rules.refuge(s, k, q)}
            assert s.beaten[k] if retreats else True
            assert sorted(names) == retreats
        for place, result in phase.get("results", {}).items():
            assert " +-!"[s.last.result[CODES.index(place)]] == result, place


def test_datc_has_all_cases():
    counts = [12, 14, 7, 34, 15, 24, 18, 16, 7, 11, 2]
    assert {f"6.{part}": sum(case.startswith(f"6.{part}.") for case in CASES) for part in "ABCDEFGHIJK"} == {
        f"6.{part}": count for part, count in zip("ABCDEFGHIJK", counts)
    }


@pytest.mark.parametrize("case", CASES)
def test_datc(case):
    check_case(CASES[case])


# Lock-step.


def crc(words):
    return f"{zlib.crc32(words.encode()) & 0xFFFF:04x}"


def in_words(names):
    """First halves of legal orders in the recorder's words."""
    found = []
    for name in names:
        verb, _, rest = name.partition(" ")
        if verb == "to":
            found.append(f"~{rest[:3]}" if rest.endswith("convoy") else f"-{rest}")
        else:
            found.append({"hold": "h", "disband": "d", "support": f"s{rest}", "convoy": f"c{rest}"}[verb])
    return ",".join(sorted(found))


class Follower:
    """Plays a recorded game in one world of a batch, and compares what is legal and what follows."""

    def __init__(self, batch, i, game):
        self.batch, self.i, self.game, self.phase, self.names = batch, i, game, -1, batch.world.action_names[0]
        self.s = batch.record(i)
        self.now = None

    def board(self):
        words, s = [], self.s
        stuck = [k for k in np.flatnonzero(s.beaten) if not rules.can_retreat(s, k)]
        for power, name in enumerate(self.batch.world.agents):
            parts = []
            for unit, owner, spot, out in (
                (s.unit, s.owner, s.spot, []),
                (s.beaten, s.beaten_owner, s.beaten_spot, stuck),
            ):
                mine = [k for k in np.flatnonzero(owner == power) if k not in out]
                parts.append(",".join(f"{' AF'[unit[k]]} {CODES[spot[k]]}" for k in mine))
            words += [f"{name}: {parts[0]}", parts[1], ",".join(CODES[k] for k in np.flatnonzero(s.center == power))]
        return ";".join(words)

    def enter_phase(self):
        """Compare the phase that has ended, and take up the orders of the next."""
        if self.phase >= 0:
            legal = "".join("".join(part) for part in self.legal)
            assert crc(legal) == self.game["legal"][self.phase], (self.i, self.phase)
            assert crc(self.board()) == self.game["after"][self.phase], (self.i, self.phase)
        self.phase += 1
        self.now, self.winter = (int(self.s.phase), int(self.s.year)), self.s.phase == 4
        self.legal = [[] for _ in range(7)]
        if self.phase < len(self.game["orders"]):
            lists = self.game["orders"][self.phase].split("|")
            self.queues = [[word for word in each.split(",") if word] for each in lists]
            self.halves = [[] for _ in range(7)]

    def act(self):
        """Choose the actions of all powers; returns whether the recording goes on."""
        if (int(self.s.phase), int(self.s.year)) != self.now or self.batch.over()[self.i]:
            self.enter_phase()
        if self.phase == len(self.game["orders"]):
            return False
        for power in np.flatnonzero(self.batch.acting[self.i]).tolist():
            allowed = [self.names[k] for k in np.flatnonzero(self.batch.masks[self.i, power])]
            if self.halves[power]:
                if self.s.picked[power] == rules.SUPPORT:
                    seconds = sorted("" if name == "hold" else f" {name[3:]}" for name in allowed)
                    self.legal[power][-1] = self.legal[power][-1].replace("/;", f"/{','.join(seconds)};")
            else:
                self.halves[power] = actions_of(self.queues[power].pop(0))
                if self.halves[power] == ["disband "]:
                    self.halves[power] = [next(name for name in allowed if name.startswith("disband"))]
                if not self.winter:
                    self.legal[power].append(in_words(allowed) + ("/;" if self.now[0] in (0, 2) else ";"))
            wanted = self.halves[power].pop(0)
            assert wanted in allowed, (self.i, self.phase, wanted)
            self.batch.actions[self.i, power] = self.names.index(wanted)
        return True


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [25, 1])
def test_package(every):
    """100 games of `diplomacy`: legal orders of all units, units, dislodged units and centers after each phase."""
    games = RECORDED["games"][::every]
    batch = kit.started(ID, len(games), last_year=RECORDED["last"] + 1)
    followers = [Follower(batch, i, game) for i, game in enumerate(games)]
    while True:
        running = np.array([follower.act() for follower in followers])
        if not running.any():
            break
        batch.step(where=running)


# All outcomes of small positions.


class Position:
    """Units and orders around the English Channel, and which outcomes agree with the rules of each order."""

    AREA = "BEL BRE CLY DEN EDI ENG GAS HEL HOL IRI KIE LON LVP MAO NTH PIC SPA WAL YOR".split()

    def __init__(self, rng, units):
        land = MAPS["standard"]
        self.seas = {code for code, kind in zip(land.provinces, land.kinds) if kind == "sea"}
        self.ways = {kind: {} for kind in "AF"}
        for number, kind in enumerate("AF", 1):
            for k, code in enumerate(CODES):
                self.ways[kind].setdefault(code[:3], set()).update(CODES[q][:3] for q in land.reached(number, k))
        self.at = {}
        for place in rng.choice(self.AREA, units, replace=False).tolist():
            kinds = [kind for kind in "AF" if self.ways[kind][place] and not (kind == "F" and place == "SPA")]
            self.at[place] = (str(rng.choice(kinds)), int(rng.integers(3)))
        self.orders = {place: ("hold", place, place) for place in self.at}
        for place in rng.permutation(list(self.at)).tolist():
            self.orders[place] = self.random_order(rng, place)

    def random_order(self, rng, place):
        """A random order, mostly one that goes with another."""
        kind = self.at[place][0]
        near = sorted(self.ways[kind][place] & set(self.AREA))
        moves = {other: order for other, order in self.orders.items() if order[0] in ("move", "via") and other != place}
        carried = sorted(other for other, order in moves.items() if order[0] == "via")
        if place in self.seas and carried and rng.random() < 0.7:
            other = str(rng.choice(carried))
            return "convoy", other, moves[other][2]
        if rng.random() < 0.45:
            helped = [(other, order[2]) for other, order in moves.items() if order[2] in near]
            helped += [(other, other) for other in near if other in self.at and other not in moves]
            if helped:
                other, target = helped[rng.integers(len(helped))]
                return "support", other, target
        if kind == "A" and rng.random() < 0.6:
            coasts = [
                code for code in self.AREA if self.ways["F"][code] & self.seas and code not in self.seas | {place}
            ]
            return "via", place, str(rng.choice(coasts))
        return ("move", place, str(rng.choice(near))) if near else ("hold", place, place)

    def joined(self, place, fleets):
        """Whether these fleets carry the army of a province to its goal."""
        goal, seen = self.orders[place][2], set()
        todo = [sea for sea in fleets if place in self.ways["F"][sea]]
        while todo:
            sea = todo.pop()
            if goal in self.ways["F"][sea]:
                return True
            seen.add(sea)
            todo += [other for other in fleets if other in self.ways["F"][sea] and other not in seen]
        return False

    def carriers(self, place):
        wanted = ("convoy", place, self.orders[place][2])
        return {sea for sea in self.at if sea in self.seas and self.orders[sea] == wanted}

    def settle_routes(self):
        """Armies go by land where no convoy to a neighbor is ordered."""
        for place, (how, _, goal) in self.orders.items():
            if how == "via" and goal in self.ways["A"][place] and not self.joined(place, self.carriers(place)):
                self.orders[place] = ("move", place, goal)

    def outcome(self, fate):
        """What each order comes to if these orders succeed."""
        at, orders = self.at, self.orders
        goal = {place: order[2] for place, order in orders.items() if order[0] in ("move", "via")}
        open_ = {p: orders[p][0] == "move" or self.joined(p, {q for q in self.carriers(p) if fate[q]}) for p in goal}

        def supports(place, power=None):
            wanted = ("support", place, goal.get(place, place))
            return sum(fate[other] and orders[other] == wanted and at[other][1] != power for other in at)

        def facing(place):
            other = goal[place]
            return goal.get(other) == place and orders[place][0] == orders[other][0] == "move"

        def attack(place):
            there = goal[place]
            stays = there in at and not (there in goal and fate[there] and not facing(place))
            if not open_[place] or (stays and at[there][1] == at[place][1]):
                return 0
            return 1 + supports(place, at[there][1] if stays else None)

        def succeeds(place):
            how, _, target = orders[place]
            against = [other for other in goal if goal[other] == place]
            if how == "hold":
                return True
            if how == "convoy":
                return not any(fate[other] for other in against)
            if how == "support":
                foreign = [
                    other for other in against if at[other][1] != at[place][1] and open_[other] and other != target
                ]
                return not foreign and not any(fate[other] for other in against)
            if target not in at:
                defense = 0
            elif facing(place):
                defense = 1 + supports(target)
            elif target in goal:
                defense = 0 if fate[target] else 1
            else:
                defense = 1 + supports(target)
            for other in goal:
                if other != place and goal[other] == target and open_[other]:
                    if not (facing(other) and fate[target]):
                        defense = max(defense, 1 + supports(other))
            return attack(place) > defense

        return {place: succeeds(place) for place in at}

    def outcomes(self):
        """All outcomes that agree with themselves."""
        found, places = [], list(self.at)
        free = [place for place in places if self.orders[place][0] != "hold"]
        for bits in range(1 << len(free)):
            fate = dict.fromkeys(places, True) | {place: bool(bits >> k & 1) for k, place in enumerate(free)}
            if self.outcome(fate) == fate:
                found.append(fate)
        return found

    def resolved(self, s):
        """The outcome that our rules find."""
        kinds = {
            "hold": rules.HOLD,
            "move": rules.MOVE,
            "via": rules.VIA,
            "support": rules.SUPPORT,
            "convoy": rules.CONVOY,
        }
        s.unit[:], s.owner[:], s.order[:], s.helped[:], s.target[:] = 0, -1, 0, -1, -1
        for place, (kind, power) in self.at.items():
            how, helped, target = self.orders[place]
            k = CODES.index(place)
            s.unit[k], s.owner[k], s.order[k] = "AF".index(kind) + 1, power, kinds[how]
            s.target[k] = -1 if how == "hold" else CODES.index(target)
            s.helped[k] = CODES.index(helped) if how in ("support", "convoy") else -1
        rules.resolve(s)
        return {place: bool(s.fate[CODES.index(place)]) for place in self.at}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("count", [25, 600])
def test_enumeration(count):
    """With fresh seeds: where one outcome agrees with itself, it is ours; of several by circles, ours has all moves."""
    rng, s = np.random.default_rng(), kit.started(ID).record()
    for _ in range(count):
        position = Position(rng, int(rng.integers(4, 9)))
        ours = position.resolved(s)
        position.settle_routes()
        outcomes = position.outcomes()
        convoys = [place for place, order in position.orders.items() if order[0] == "convoy"]
        if len(outcomes) == 1:
            assert ours == outcomes[0], (position.at, position.orders)
        elif len({tuple(fate[place] for place in convoys) for fate in outcomes}) == 1:
            assert ours == max(outcomes, key=lambda fate: sum(fate.values()))
