"""Diplomacy: DATC's cases, `diplomacy` in lock-step, all outcomes of small positions, each rule, levels, baselines."""

import gzip
import json
import zlib

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError, SnapshotError
from envsuite.games import diplomacy as rules
from envsuite.games.diplomacy import Diplomacy, actions
from envsuite.games.diplomacy import orders as adjudicator
from envsuite.games.diplomacy.map import MAPS

ID = "envsuite/Diplomacy-v0"
RECORDED = json.loads(gzip.decompress((kit.DATA / "Diplomacy" / "diplomacy.json.gz").read_bytes()))
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
    picked = {"support": adjudicator.SUPPORT, "convoy": adjudicator.CONVOY}[verb]
    actions.allow_second(s, k, picked, CODES.index(other), mask)
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
            ways = adjudicator.WAYS[0, s.beaten[k], s.beaten_spot[k]]
            assert s.beaten[k] and sorted(CODES[q] for q in ways if q >= 0 and actions.refuge(s, k, q)) == retreats
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


def in_words(name):
    """A first half of an order in the recorder's words."""
    verb, _, rest = name.partition(" ")
    if verb == "to":
        return f"~{rest[:3]}" if rest.endswith("convoy") else f"-{rest}"
    return {"hold": "h", "disband": "d", "support": f"s{rest}", "convoy": f"c{rest}"}.get(verb, name)


class Follower:
    """Plays a recorded game in one world of a batch, and compares what is legal and what follows."""

    def __init__(self, batch, i, game):
        self.batch, self.i, self.game, self.phase, self.names = batch, i, game, -1, batch.world.action_names[0]
        self.s, self.words = batch.record(i), [in_words(name) for name in self.names]
        self.now = None

    def board(self):
        words, s = [], self.s
        stuck = [k for k in np.flatnonzero(s.beaten) if not actions.can_retreat(s, k)]
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
            allowed = np.flatnonzero(self.batch.masks[self.i, power]).tolist()
            if self.halves[power]:
                if self.s.picked[power] == adjudicator.SUPPORT:
                    names = [self.names[k] for k in allowed]
                    seconds = sorted("" if name == "hold" else f" {name[3:]}" for name in names)
                    self.legal[power][-1] = self.legal[power][-1].replace("/;", f"/{','.join(seconds)};")
            else:
                self.halves[power] = actions_of(self.queues[power].pop(0))
                if self.halves[power] == ["disband "]:
                    self.halves[power] = [next(self.names[k] for k in allowed if self.words[k] == "d")]
                if not self.winter:
                    firsts = ",".join(sorted(self.words[k] for k in allowed))
                    self.legal[power].append(firsts + ("/;" if self.now[0] in (0, 2) else ";"))
            wanted = self.names.index(self.halves[power].pop(0))
            assert wanted in allowed, (self.i, self.phase, self.names[wanted])
            self.batch.actions[self.i, power] = wanted
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
            "hold": adjudicator.HOLD,
            "move": adjudicator.MOVE,
            "via": adjudicator.VIA,
            "support": adjudicator.SUPPORT,
            "convoy": adjudicator.CONVOY,
        }
        s.unit[:], s.owner[:], s.order[:], s.helped[:], s.target[:] = 0, -1, 0, -1, -1
        for place, (kind, power) in self.at.items():
            how, helped, target = self.orders[place]
            k = CODES.index(place)
            s.unit[k], s.owner[k], s.order[k] = "AF".index(kind) + 1, power, kinds[how]
            s.target[k] = -1 if how == "hold" else CODES.index(target)
            s.helped[k] = CODES.index(helped) if how in ("support", "convoy") else -1
        adjudicator.resolve(s)
        return {place: bool(s.fate[CODES.index(place)]) for place in self.at}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("count", [25, 400])
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


# Rules.


def test_first_spring():
    """The package's numbers of legal orders of the first spring: 238 in all."""
    batch = kit.started(ID)
    s, counts = batch.record(), {}
    for k in np.flatnonzero(s.unit).tolist():
        mask = np.zeros(actions.ACTIONS, np.int8)
        actions.allow_first(s, k, mask)
        counts[CODES[k]] = 0
        for name in (batch.world.action_names[0][action] for action in np.flatnonzero(mask)):
            if name.startswith("support"):
                mask = np.zeros(actions.ACTIONS, np.int8)
                actions.allow_second(s, k, adjudicator.SUPPORT, CODES.index(name[8:]), mask)
                counts[CODES[k]] += int(mask.sum())
            else:
                counts[CODES[k]] += 1
    assert sum(counts.values()) == 238 and (counts["MUN"], counts["VEN"], counts["WAR"], counts["STP"]) == (
        19,
        18,
        16,
        6,
    )


def orders(batch, **given):
    """Play a phase: the orders of each power by province, in the recorder's words; all others hold."""
    give(batch, [[power, place, words, True] for power, each in given.items() for place, words in each.items()])
    return batch


def when(batch):
    return ["spring", "spring retreats", "autumn", "autumn retreats", "winter"][batch.records["phase"][0]]


def position(season="spring", year=1901, centers=None, reward="centers", last_year=1910, **units):
    level = {"season": season, "year": year, "units": units, "centers": centers or {}}
    return kit.started(ID, level=level, reward=reward, last_year=last_year)


def test_phases():
    """Retreats and winters in which nobody has a choice are skipped; centers change hands in autumn only."""
    batch = orders(kit.started(ID), france={"PAR": "-BUR", "MAR": "-SPA", "BRE": "-MAO"})
    assert when(batch) == "autumn" and not batch.rewards.any() and batch.observations[0, 2]["centers"][2] == 3
    orders(batch, france={"SPA": "-POR", "MAO": "-IRI"})
    assert when(batch) == "winter" and batch.rewards[0].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert np.flatnonzero(batch.acting[0]).tolist() == [2] and batch.records["due"][0].tolist() == [0, 0, 1, 0, 0, 0, 0]
    wanted = {
        "waive",
        "build fleet BRE",
        *(f"build army {place}" for place in ("BRE", "MAR", "PAR")),
        "build fleet MAR",
    }
    assert kit.legal(batch) == wanted
    kit.act(batch, "build fleet MAR")
    assert when(batch) == "spring" and batch.records["year"][0] == 1902
    assert units_of(batch.record(), batch.world)["france"] == ["A BUR", "A POR", "F IRI", "F MAR"]


def test_builds():
    """Builds need an owned, empty home center; each takes its center; fleets choose a coast."""
    centers = {"russia": ["STP", "MOS", "WAR", "SWE", "NWY"], "turkey": ["SEV"]}
    batch = position("winter", centers=centers, russia=["A MOS"])
    fleets = {"build fleet STP/NC", "build fleet STP/SC"}
    assert batch.records["due"][0, 5] == 2  # five centers and one unit, but two free homes
    assert kit.legal(batch, 5) == {"waive", "build army STP", "build army WAR", *fleets}
    assert kit.legal(batch, 6) == set()  # no home of Turkey
    kit.act(batch, "build fleet STP/NC")
    assert kit.legal(batch, 5) == {"waive", "build army WAR"} and when(batch) == "winter"
    kit.act(batch, "waive")
    assert units_of(batch.record(), batch.world) == {"russia": ["A MOS", "F STP/NC"]}


def test_disbands():
    """As many units as there are centers stay; "waive" leaves the rest to the rules."""
    batch = position("winter", centers={"italy": ["ROM"]}, italy=["A ROM", "A BUD", "F ION", "A TYR"])
    assert kit.legal(batch) == {"waive", "disband ROM", "disband BUD", "disband ION", "disband TYR"}
    kit.act(batch, "disband ROM")
    assert kit.legal(batch) == {"waive", "disband BUD", "disband ION", "disband TYR"}
    kit.act(batch, "waive")  # BUD is two steps from VEN, TYR and ION are one
    assert units_of(batch.record(), batch.world)["italy"] == ["A TYR"]


def test_retreats():
    """Not to the attacker's province, to one with a unit, or where others bounced; without any, the unit is out."""
    batch = position(austria=["A TRI"], italy=["A VEN", "A TYR", "A VIE", "A SER", "F ALB"], germany=["A BOH"])
    orders(batch, italy={"VEN": "-TRI", "TYR": "sVEN TRI", "VIE": "-BUD", "SER": "-BUD"})
    assert when(batch) == "autumn" and units_of(batch.record(), batch.world).get("austria") is None
    batch = position(austria=["A TRI"], italy=["A VEN", "A TYR", "A VIE", "F ALB"], germany=["A BOH"])
    orders(batch, italy={"VEN": "-TRI", "TYR": "sVEN TRI", "VIE": "h"})
    assert when(batch) == "spring retreats" and kit.legal(batch) == {"to BUD", "to SER", "disband TRI"}
    assert "Austria's A TRI is dislodged by an attack from VEN." in batch.world.text(batch.record(), 4)
    kit.act(batch, "to SER")
    assert when(batch) == "autumn" and units_of(batch.record(), batch.world)["austria"] == ["A SER"]


def test_own_units():
    """Nobody dislodges its own unit, not even with supports of others."""
    batch = position(france=["A PAR", "A BUR"], germany=["A MUN", "A RUH"], italy=["A MAR"])
    orders(batch, france={"PAR": "-BUR"}, germany={"MUN": "sPAR BUR"}, italy={"MAR": "sPAR BUR"})
    assert units_of(batch.record(), batch.world)["france"] == ["A BUR", "A PAR"] and when(batch) == "autumn"


def test_no_support_over_itself():
    """A fleet cannot support a move by convoy that needs this fleet."""
    batch = position(italy=["A TUN", "F ION"], turkey=["F EAS"])
    assert not {"support TUN"} & kit.legal(batch, 6) and {"convoy TUN", "support ION"} <= kit.legal(batch, 6)
    kit.act(batch, "hold")
    assert {"to GRE by convoy", "to SMY by convoy"} <= kit.legal(batch, 4)
    batch = position(russia=["A RUM"], turkey=["F BLA"])
    assert "to ARM by convoy" in kit.legal(batch, 5)
    batch.actions[0, 5:] = [batch.world.action_names[0].index(name) for name in ("to ARM by convoy", "support RUM")]
    batch.step()
    assert kit.legal(batch, 6) == {"hold", "to BUL", "to SEV"}


def test_secret():
    """A power sees its own orders, and not those of others before they are resolved."""
    batch = kit.started(ID)
    before = batch.observations[0].copy()
    batch.actions[0] = [batch.world.action_names[0].index("hold")] * 7
    batch.step()
    for power in range(7):
        assert (batch.observations[0, power]["orders"][0] == 1).sum() == 1
        for part in ("board", "last", "centers"):
            assert (batch.observations[0, power][part] == before[power][part]).all()
    texts = [batch.world.text(batch.record(), power) for power in range(7)]
    assert "Your orders so far: A BUD H." in texts[0] and "F EDI H" not in texts[0] and "F EDI H" in texts[1]
    while when(batch) == "spring":
        batch.actions[0] = [batch.world.action_names[0].index("hold")] * 7
        batch.step()
    assert "F EDI H succeeds" in batch.world.text(batch.record(), 0)


AUSTRIA, ENGLAND, FRANCE, GERMANY, ITALY, RUSSIA, TURKEY = range(7)


def at(**values):
    """A row of an observation by province; -1, or `other`, in all other provinces."""
    row = [values.pop("other", -1)] * 75
    for code, value in values.items():
        row[CODES.index(code)] = CODES.index(value) if isinstance(value, str) else value
    return row


def enter(batch, **names):
    """A step in which these powers choose actions by name."""
    batch.actions[:] = 0
    for power, name in names.items():
        batch.actions[0, batch.world.agents.index(power)] = batch.world.action_names[0].index(name)
    batch.step()


def test_what_is_seen_of_moves_and_retreats():
    """Own orders, both halves of a support, what the last moves came to, dislodged units, and where others bounced."""
    batch = position(
        centers={"italy": ["VEN", "ROM"], "russia": ["BUD"]},
        austria=["A BUD", "A TRI"],
        england=["A ALB"],
        italy=["A TYR", "A VEN"],
        russia=["A GAL", "A RUM"],
        turkey=["A BUL"],
    )
    assert batch.observations[0, ITALY]["turn"].tolist() == [ITALY, 1901, 0, CODES.index("TYR"), 0, -1, 0]
    assert batch.observations[0, ITALY]["rules"].tolist() == [0, 0, 1910]
    assert batch.observations[0, ITALY]["centers"].tolist() == [0, 0, 0, 0, 2, 1, 0]
    enter(batch, austria="hold", england="to SER", italy="support VEN", russia="support RUM", turkey="to SER")
    turns = batch.observations[0]["turn"]
    assert turns[ITALY].tolist() == [ITALY, 1901, 0, CODES.index("TYR"), 4, CODES.index("VEN"), 0]
    assert turns[AUSTRIA].tolist() == [AUSTRIA, 1901, 0, CODES.index("TRI"), 0, -1, 0]
    assert batch.observations[0, ENGLAND]["orders"].tolist() == [at(ALB=2, other=0), at(), at(ALB="SER")]
    assert batch.observations[0, AUSTRIA]["orders"].tolist() == [at(BUD=1, other=0), at(), at()]
    assert batch.observations[0, ITALY]["orders"].tolist() == [at(other=0), at(), at()]
    enter(batch, austria="hold", italy="to TRI", russia="to BUD")
    assert batch.observations[0, ITALY]["orders"].tolist() == [at(TYR=4, other=0), at(TYR="VEN"), at(TYR="TRI")]
    assert batch.observations[0, FRANCE]["orders"].tolist() == [at(other=0), at(), at()]
    assert (batch.observations[0]["last"][:, 0] == 0).all()
    enter(batch, italy="to TRI", russia="to BUD")
    seen, places = batch.observations[0, TURKEY], list(range(75))
    assert seen["last"].tolist() == [
        at(ALB=1, BUD=1, BUL=1, GAL=1, RUM=1, TRI=1, TYR=1, VEN=1, other=0),
        at(ALB=1, BUD=0, BUL=6, GAL=5, RUM=5, TRI=0, TYR=4, VEN=4),
        at(ALB=2, BUD=1, BUL=2, GAL=4, RUM=2, TRI=1, TYR=4, VEN=2, other=0),
        at(GAL="RUM", TYR="VEN"),
        at(ALB="SER", BUL="SER", GAL="BUD", RUM="BUD", TYR="TRI", VEN="TRI"),
        at(ALB=2, BUD=3, BUL=2, GAL=1, RUM=1, TRI=3, TYR=1, VEN=1, other=0),
    ]
    free = {CODES[k]: -1 for k in MAPS["standard"].centers}
    assert seen["board"].tolist() == [
        at(ALB=1, BUD=1, BUL=1, GAL=1, TRI=1, TYR=1, other=0),
        at(ALB=1, BUD=5, BUL=6, GAL=5, TRI=4, TYR=4),
        places,
        at(**free | {"VEN": ITALY, "ROM": ITALY, "BUD": RUSSIA}, other=-2),
        at(BUD=1, TRI=1, other=0),
        at(BUD=0, TRI=0),
        places,
        at(BUD="RUM", TRI="VEN"),
        at(SER=1, other=0),
    ]
    assert kit.legal(batch) == {"to VIE", "disband BUD"}  # not to RUM, and not to SER
    enter(batch, austria="to VIE")
    assert batch.observations[0, AUSTRIA]["orders"].tolist() == [at(BUD=2, other=0), at(), at(BUD="VIE")]
    assert batch.observations[0, RUSSIA]["orders"].tolist() == [at(other=0), at(), at()]
    assert kit.legal(batch) == {"to VIE", "disband TRI"}
    enter(batch, austria="to VIE")  # both are disbanded
    assert when(batch) == "autumn" and "austria" not in units_of(batch.record(), batch.world)
    assert not batch.observations[0, TURKEY]["board"][4].any()


def test_what_is_seen_of_a_winter():
    """Own builds and disbands so far, and how many are still due."""
    centers = {"france": ["BRE", "PAR", "MAR"], "italy": ["ROM"]}
    batch = position("winter", centers=centers, france=["A PAR"], italy=["A ROM", "F ION", "A TYR"])
    assert batch.observations[0]["turn"][:, 6].tolist() == [0, 0, 2, 0, -2, 0, 0]
    enter(batch, france="build fleet BRE", italy="disband ION")
    assert batch.observations[0]["turn"][:, 6].tolist() == [0, 0, 1, 0, -1, 0, 0]
    assert batch.observations[0, FRANCE]["orders"].tolist() == [at(BRE=8, other=0), at(), at(BRE="BRE")]
    assert batch.observations[0, ITALY]["orders"].tolist() == [at(ION=6, other=0), at(), at()]
    assert batch.observations[0, RUSSIA]["orders"].tolist() == [at(other=0), at(), at()]
    enter(batch, france="build army MAR", italy="disband ROM")
    board = batch.observations[0, RUSSIA]["board"]
    assert board[0].tolist() == at(BRE=2, MAR=1, PAR=1, TYR=1, other=0)
    assert board[1].tolist() == at(BRE=2, MAR=2, PAR=2, TYR=4)
    assert units_of(batch.record(), batch.world) == {"france": ["A MAR", "A PAR", "F BRE"], "italy": ["A TYR"]}


def test_end_of_powers():
    """A power without centers and units is out; one with a center or a unit plays on."""
    centers = {"austria": ["VIE"], "italy": ["ROM"], "germany": ["BER"]}
    batch = position("autumn", centers=centers, austria=["A TYR"], italy=["A BOH"], russia=["A PRU"])
    orders(batch, italy={"BOH": "-VIE"}, russia={"PRU": "-BER"})
    assert batch.terminations[0].tolist() == [False, True, True, True, False, False, True]
    assert batch.rewards[0].tolist() == [-1, 0, 0, -1, 1, 1, 0]


def many(count, skip=()):
    centers = [CODES[k] for k in MAPS["standard"].centers if CODES[k] not in skip]
    return centers[:count]


@pytest.mark.parametrize(
    ("reward", "own", "wanted"),
    [
        ("centers", 17, [0, 0, 1, -1, 0, 0, 0]),
        ("winner", 17, [0, 0, 1, 0, 0, 0, 0]),
        ("squares", 17, [0, 0, 1, 0, 0, 0, 0]),
        ("centers", 16, [0, 0, 1, -1, 0, 0, 0]),
        ("winner", 16, [0, 0, 0.5, 0.5, 0, 0, 0]),
        ("squares", 16, [0, 0, 17**2 / (17**2 + 16**2), 16**2 / (17**2 + 16**2), 0, 0, 0]),
    ],
)
def test_rewards(reward, own, wanted):
    """18 centers win; otherwise the last year ends the game."""
    first = many(own, ["BER"])
    rest = many(16, [*first, "BER"])
    centers = {"france": first, "germany": ["BER", *rest]}
    batch = position("autumn", 1903, centers, reward, 1903, france=["A PRU"], germany=["A SIL"])
    orders(batch, france={"PRU": "-BER"})
    assert batch.over()[0] and batch.rewards[0].tolist() == pytest.approx(wanted)


def test_small_maps():
    """Four of seven and of six centers win."""
    for name, centers, wanted in (
        ("pure", [0, 0, 0, 0, 1, 1, 1], 0),
        ("pure", [0, 0, 0, 1, 1, 1, 2], -1),
        ("triangle", [0, 0, 1, 1, 1, 1], 1),
        ("triangle", [0, 0, 0, 1, 1, 1], -1),
    ):
        s = kit.started(Diplomacy(map=name)).record()
        s.center[s.center > -2] = centers
        assert rules.winner(s) == wanted


def test_last_year():
    """The game ends in the autumn of the last year."""
    batch = kit.started(ID, last_year=1901)
    orders(batch)
    assert not batch.over()[0]
    orders(batch)
    assert batch.over()[0] and not batch.truncations.any()


def test_rewards_are_centers():
    """With fresh seeds: the returns of random games are the differences in centers."""
    for name in ("standard", "triangle"):
        batch = kit.started(ID, 3, seed=int(np.random.default_rng().integers(2**32)), map=name, last_year=1903)
        before = [[rules.holdings(batch.record(i), k) for k in range(len(batch.world.agents))] for i in range(3)]
        total = kit.finish(batch, "random")
        after = [[rules.holdings(batch.record(i), k) for k in range(len(batch.world.agents))] for i in range(3)]
        assert (total == np.subtract(after, before)).all()


def test_triangle():
    """An army crosses the seas by a fleet, and a support keeps it in its place."""
    batch = kit.started(Diplomacy(map="triangle"))
    names = batch.world.action_names[0]
    assert {"to EAR by convoy", "to WEL by convoy", "convoy NOR"} <= set(names)
    codes = MAPS["triangle"].codes
    for words in (["convoy NOR", "support CAL", "convoy TAR"], ["to WEL", "hold", "to FEN"]):
        batch.actions[0] = [names.index(word) if batch.acting[0, k] else 0 for k, word in enumerate(words)]
        batch.step()
    assert batch.records["order"][0][[codes.index(code) for code in ("CAL", "DUN", "GUL")]].tolist() == [5, 4, 5]
    batch.actions[0] = [names.index(word) for word in ("to WEL by convoy", "hold", "to FEN")]
    batch.step()
    found = {codes[k] for k in np.flatnonzero(batch.records["unit"][0])}
    assert found == {"CAL", "DUN", "GUL", "NOR", "SOR", "FEN"}  # DUN does not convoy NOR, so it stays


def test_maps():
    """Facts that everybody knows, and neighbors in both directions."""
    land = MAPS["standard"]
    kinds = [land.kinds.count(kind) for kind in ("sea", "inland", "coast")]
    assert kinds == [19, 14, 42] and len(land.centers) == 34 and len(land.codes) == 81
    for each in MAPS.values():
        for kind in (1, 2):
            for k in range(len(each.codes)):
                assert all(k in each.reached(kind, to) for to in each.reached(kind, k))
    assert [len(MAPS[name].start) for name in MAPS] == [7, 7, 2, 2, 3]


# Levels and interfaces.


def test_levels():
    level = {
        "year": 1905,
        "season": "autumn",
        "units": {"france": ["A PAR", "F STP/NC"], "turkey": ["F BUL/EC"]},
        "centers": {"france": ["PAR", "STP"]},
    }
    batch = kit.started(ID, level=level)
    found = batch.world.get_level(batch.record())
    assert {part: {p: each for p, each in found[part].items() if each} for part in ("units", "centers")} == {
        part: level[part] for part in ("units", "centers")
    }
    assert (found["year"], found["season"]) == (1905, "autumn")
    kit.refuses(
        Diplomacy(),
        ({"seas": 1}, "not 'seas'"),
        ({"units": {"france": ["A PAR", "F PAR"]}}, "'F PAR' is no unit"),
        ({"units": {"france": ["A BUR"], "italy": ["A BUR"]}}, "two units in BUR"),
        ({"units": {"france": ["F STP"]}}, "'F STP' is no unit"),
        ({"units": {"france": ["A STP/NC"]}}, "no unit that can stand"),
        ({"units": {"france": ["A NTH"]}}, "no unit that can stand"),
        ({"units": {"france": [7]}}, "7 is no unit"),
        ({"units": {"france": "A PAR"}}, "a list for each power"),
        ({"units": {"spain": ["A PAR"]}}, "'spain' is none of the powers"),
        ({"units": {"france": ["A PAR"]}, "centers": {"france": ["BUR"]}}, "'BUR' is no center"),
        ({"units": {"france": ["A PAR"]}, "centers": {"france": ["PAR"], "italy": ["PAR"]}}, "there twice"),
        ({"units": {"france": ["A PAR"]}, "season": "summer"}, "the season is 'summer'"),
        ({"units": {"france": ["A PAR"]}, "year": 1911}, "the year is 1911"),
        ({}, "no power has anything to order"),
        ({"season": "winter", "units": {"france": ["A PAR"]}, "centers": {"france": ["PAR"]}}, "anything to order"),
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"owner": ("PAR", -1)}, "without an owner"),
        ({"spot": ("PAR", 0)}, "where it cannot be"),
        ({"center": ("PAR", -2)}, "not those of the map"),
        ({"order": ("PAR", 2)}, "does not fit"),
        ({"order": ("BUR", 1)}, "does not fit"),
        ({"cursor": (2, 0)}, "not there"),
        ({"due": (2, 1)}, "units are due"),
        ({"picked": (2, 4)}, "half an order"),
    ],
)
def test_contradictions(changes, message):
    batch = kit.started(ID)
    for field, (k, value) in changes.items():
        batch.records[field][0][CODES.index(k) if isinstance(k, str) else k] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


def clicked(batch, agent):
    """All that clicks on locations mean."""
    found = {batch.world.click(batch.record(), agent, x + 0.1, y) for x, y in batch.world.land.places}
    return {batch.world.action_names[agent][action] for action in found if action is not None}


def test_clicks():
    """All moves of a unit can be clicked, and the unit itself to hold."""
    assert clicked(kit.started(ID), 0) == {"hold", "to GAL", "to RUM", "to SER", "to TRI", "to VIE"}
    batch = position(russia=["F BOT"])
    assert clicked(batch, 5) == {"hold", "to BAL", "to FIN", "to LVN", "to STP/SC", "to SWE"}
    batch = position("winter", centers={"russia": ["STP", "MOS", "RUM"]}, russia=["A WAR"])
    assert clicked(batch, 5) == {"build army STP", "build army MOS"}
    batch = position("winter", russia=["F STP/NC", "A WAR"])
    assert clicked(batch, 5) == {"disband STP", "disband WAR"}


def test_pictures_keep_orders_secret():
    """New orders of others are in the spectators' picture only."""
    batch = kit.started(ID)
    before = [batch.world.scene(batch.record(), agent).shapes for agent in (0, None)]
    batch.actions[0] = [batch.world.action_names[0].index("hold")] * 7
    batch.actions[0, 1] = batch.world.action_names[0].index("to NTH")
    batch.records["cursor"][0, 0] = -1  # Austria does not act
    batch.observe()
    batch.step()
    after = [batch.world.scene(batch.record(), agent).shapes for agent in (0, None)]
    moves = [sum(getattr(shape, "color", "") == "gold" for shape in shapes) for shapes in after]
    assert moves == [0, 1] and len(before[1]) < len(after[1])


def test_prompt():
    """The map in words."""
    batch = kit.started(ID)
    prompt = batch.world.prompt(batch.record(), 2)
    assert "\nPAR Paris (inland, center): armies BRE BUR GAS PIC\n" in prompt and prompt.startswith(
        "You are France, one of 7 powers"
    )
    assert "\nSTP/NC St Petersburg, north coast: fleets BAR NWY\n" in prompt
    assert "\nGAS Gascony (coast): armies BRE BUR MAR PAR SPA; fleets BRE MAO SPA/NC\n" in prompt


# Baselines.


@pytest.mark.slow
def test_baselines():
    """Holding keeps what there is; marching wins most games against random powers; sieges beat marches."""
    assert abs(kit.played(ID, "hold", 2, 40)[:, 2].mean()) < 4
    for policy in ("march", "siege"):
        assert kit.played(ID, policy, 2, 40, reward="winner")[:, 2].mean() > 0.9
    more = [kit.played(ID, one, 2, 100, other)[:, 2].mean() for one, other in (("siege", "march"), ("march", "siege"))]
    assert more[0] > more[1]


def test_siege_supports():
    """A siege attacks a unit with another unit's support; a march attacks with one unit only."""
    centers = {"france": many(33, ["MUN"]), "germany": ["MUN"]}
    batch = position(centers=centers, france=["A BUR", "A RUH"], germany=["A MUN"])
    assert kit.choices("siege", batch, 2, 5) == kit.choices("march", batch, 2, 5) == {"to MUN"}
    action = batch.world.action_names[2].index("to MUN")
    batch.actions[0, 2], batch.actions[0, 3] = action, 0
    batch.step()
    assert kit.choices("siege", batch, 2, 5) == {"support BUR"}
    assert not {"to MUN", "support BUR"} & kit.choices("march", batch, 2, 5)
    kit.act(batch, "support BUR")
    assert kit.choices("siege", batch, 2, 5) == {"to MUN"}
