"""ScienceLab written a second time, after its page: names in place of numbers, a graph of contacts, plain floats."""

import networkx as nx

ROOM_OF = {
    "stove": "kitchen", "furnace": "workshop", "freezer": "kitchen", "sink": "kitchen", "counter": "kitchen",
    "cupboard": "laboratory", "lab bench": "laboratory", "workbench": "workshop", "potting table": "greenhouse",
    "garden table": "garden",
}  # fmt: skip
ONTO = {"stove", "counter", "lab bench", "workbench", "potting table", "garden table"}
INTO = {"furnace", "freezer", "sink", "cupboard", "red box", "blue box"}
LIDS, DEVICES = {"freezer", "cupboard"}, {"stove", "furnace", "sink", "switch"}
VESSELS, WIRES = {"pan", "beaker", "jar", "cup", "bowl"}, {"red wire", "blue wire", "green wire", "black wire"}
CONSUMERS = {"bulb", "motor", "buzzer"}
CONDUCTORS = {"iron nail", "silver spoon", "copper coin", "battery", *CONSUMERS}
CONTACTS = CONDUCTORS | {"switch", "wooden block", "glass marble", "rubber ball", "gray rod", "black stone"}
ANIMALS, SEEDS = {"snail", "frog", "beetle"}, {"bean", "pea"}
GREEN = {"fern", "moss", "cactus"} | SEEDS
CARRIED = VESSELS | WIRES | CONTACTS | ANIMALS | GREEN | {"flower pot", "thermometer", "paint chart"}
POINTS = {
    "water": (0, 100), "orange juice": (-2, 102), "alcohol": (-114, 78), "chocolate": (34, 900), "wax": (62, 900),
    "tin": (232, 900), "lead": (327, 900), "gray powder": (None, 900),
}  # fmt: skip
PAINTS = {
    frozenset(("red", "yellow")): "orange", frozenset(("yellow", "blue")): "green", frozenset(("red", "blue")):
    "violet", frozenset(("orange", "blue")): "brown", frozenset(("green", "red")): "brown",
    frozenset(("violet", "yellow")): "brown",
}  # fmt: skip
COLORS = ("red", "yellow", "blue", "orange", "green", "violet", "brown")
SUBSTANCES = {*POINTS, "soil", *(f"{color} paint" for color in COLORS)}


class House:
    """A level that is played."""

    def __init__(self, level):
        self.level = level
        self.place = ROOM_OF | dict(level["things"])
        self.room, self.near = level["start"], {room: set() for room in [*ROOM_OF.values(), "hall"]}
        for one, other in level["rooms"]:
            self.near[one].add(other)
            self.near[other].add(one)
        self.heat = dict.fromkeys(POINTS, 20.0)
        self.open, self.on, self.ends = set(), set(), {wire: [] for wire in WIRES}
        self.wet, self.age, self.focus, self.reading = 0, dict.fromkeys(SEEDS, 0), None, None
        self.score, self.reached, self.over = 0, set(), False

    # What is where.

    def path(self, thing):
        """All places around a thing, from the inside to the outside."""
        while thing in self.place:
            thing = self.place[thing]
            yield thing

    def sees(self, thing):
        around = list(self.path(thing))
        return bool(around) and around[-1] in ("agent", self.room) and not any(map(self.shut, around))

    def shut(self, thing):
        return thing in LIDS and thing not in self.open

    def phase(self, thing):
        melts, boils = POINTS[thing]
        melts = self.level["melts"] if melts is None else melts
        return "gas" if self.heat[thing] >= boils else "liquid" if self.heat[thing] > melts else "solid"

    def around(self, thing):
        for place in self.path(thing):
            if place in ("stove", "furnace") and place in self.on:
                return {"stove": 300, "furnace": 700}[place]
            if place == "freezer" and self.shut(place):
                return -20
        return 20

    # Circuits.

    def graph(self):
        """Wires and things; each edge is a connection."""
        graph = nx.Graph()
        graph.add_nodes_from(CONTACTS)
        graph.add_edges_from((wire, thing) for wire, ends in self.ends.items() for thing in ends)
        return graph

    def conducts(self, thing):
        if thing == "switch":
            return thing in self.on
        return thing in WIRES or thing in CONDUCTORS or thing in self.level["conducts"]

    def ring(self, graph):
        """The things that are in a ring with the battery."""
        rings = [ring for ring in nx.simple_cycles(graph) if "battery" in ring]
        return {thing for ring in rings for thing in ring}

    def running(self):
        graph = self.graph()
        return self.ring(graph.subgraph([node for node in graph if self.conducts(node)])) & CONSUMERS

    # Commands.

    def commands(self):
        """The names of all that are possible."""
        found = {"look", "inventory", "wait", *(f"go to {room}" for room in self.near[self.room])}
        for thing in filter(self.sees, list(self.place)):
            found |= set(self.about(thing))
        return found

    def about(self, thing):
        """Commands about a thing that is seen."""
        held, used = self.place[thing] == "agent", sum(ends.count(thing) for ends in self.ends.values())
        if thing == "paint chart":
            yield "read paint chart"
        if thing in LIDS:
            yield f"{'open' if self.shut(thing) else 'close'} {thing}"
        if thing in DEVICES:
            yield f"turn {'off' if thing in self.on else 'on'} {thing}"
        if thing not in ROOM_OF:
            yield f"focus on {thing}"
        if thing in CARRIED and not held and not used and not self.ends.get(thing) and self.age.get(thing, 0) < 4:
            yield f"take {thing}"
        if thing in CARRIED and held:
            yield from (f"put {thing} on {place}" for place in ONTO if self.sees(place))
            yield from (f"put {thing} in {place}" for place in INTO if self.sees(place) and not self.shut(place))
            if thing in SEEDS and self.sees("flower pot"):
                yield f"plant {thing} in flower pot"
        if thing in SUBSTANCES and not (thing in POINTS and self.phase(thing) == "gas"):
            targets = VESSELS | ({"flower pot"} if thing in ("water", "soil") else set())
            yield from (f"pour {thing} into {v}" for v in targets if self.sees(v) and self.place[thing] != v)
        if thing in POINTS and self.place.get("thermometer") == "agent":
            yield f"measure {thing}"
        if thing in VESSELS and sum(place == thing for place in self.place.values()) >= 2:
            yield f"mix {thing}"
        if thing in WIRES and self.ends[thing]:
            yield f"disconnect {thing}"
        if thing in CONTACTS and not held and used < 2:
            for wire in filter(self.sees, WIRES & set(self.place)):
                ends = self.ends[wire]
                if not ends or (len(ends) == 1 and thing not in ends and self.place[wire] == self.place[thing]):
                    yield f"connect {wire} to {thing}"

    def do(self, command):
        """Give a command and let a step of time pass."""
        verb, _, rest = command.partition(" ")
        if verb == "open":
            self.open.add(rest)
        elif verb == "close":
            self.open.discard(rest)
        elif verb == "focus":
            self.focus = rest.removeprefix("on ")
        elif verb not in ("look", "inventory", "wait", "read"):
            getattr(self, verb)(rest)
        self.pass_time()
        self.update()

    def go(self, rest):
        self.room = rest.removeprefix("to ")

    def take(self, rest):
        self.place[rest] = "agent"

    def put(self, rest):
        thing, place = rest.split(" on " if " on " in rest else " in ")
        self.place[thing] = place

    def plant(self, rest):
        self.put(rest)

    def pour(self, rest):
        thing, vessel = rest.split(" into ")
        if (thing, vessel) == ("water", "flower pot"):
            del self.place["water"]
            self.wet = 10
        else:
            self.place[thing] = vessel

    def mix(self, rest):
        inside = [color for color in COLORS if self.place.get(f"{color} paint") == rest]
        for pair, made in PAINTS.items():
            if pair <= set(inside) and f"{made} paint" not in self.place:
                for color in pair:
                    del self.place[f"{color} paint"]
                self.place[f"{made} paint"] = rest
                return

    def turn(self, rest):
        state, _, thing = rest.partition(" ")
        (self.on.add if state == "on" else self.on.discard)(thing)

    def connect(self, rest):
        wire, thing = rest.split(" to ")
        self.ends[wire].append(thing)
        self.place[wire] = self.place[thing]

    def disconnect(self, rest):
        self.ends[rest] = []

    def measure(self, rest):
        self.reading = (rest, round(self.heat[rest]))

    # Time.

    def pass_time(self):
        if "sink" in self.on and "water" not in self.place:
            self.place["water"], self.heat["water"] = "sink", 15.0
        for thing in POINTS:
            if thing in self.place:
                self.heat[thing] = (7 * self.heat[thing] + self.around(thing)) / 8
        path = list(self.path("flower pot"))
        light = path and not any(map(self.shut, path)) and (self.room if path[-1] == "agent" else path[-1])
        if self.wet and self.place.get("soil") == "flower pot" and light in ("greenhouse", "garden"):
            for seed in SEEDS:
                self.age[seed] += self.place.get(seed) == "flower pot"
        self.wet = max(self.wet - 1, 0)

    # Subgoals.

    def fits(self, thing):
        task, target = self.level["task"], self.level["target"]
        if task == "find":
            living, found = ANIMALS | GREEN, thing in CARRIED | SUBSTANCES
            sorts = {"living thing": living, "plant": GREEN, "animal": ANIMALS}
            return thing in sorts[target] if target in sorts else found and thing not in living
        return thing == (self.box() if task == "measure" else target)

    def box(self):
        task = self.level["task"]
        if task == "find":
            return self.level["box"]
        yes = self.level["melts"] > self.level["limit"] if task == "measure" else self.conducts(self.level["target"])
        return "red box" if yes else "blue box"

    def update(self):
        task, target = self.level["task"], self.level["target"]
        focused = self.focus is not None and self.fits(self.focus)
        place = self.place.get(target)
        wrong = (self.focus is not None and not focused) or (
            task == "conduct" and place in ("red box", "blue box") and place != self.box()
        )
        if not wrong:
            for k, holds in enumerate(getattr(self, f"goals_{task}", self.goals_state)(target, focused)):
                if holds and k not in self.reached:
                    self.reached.add(k)
                    self.score += (20, 30, 50)[k]
        self.over = wrong or 2 in self.reached

    def goals_state(self, target, focused):
        melts, boils = POINTS[target]
        here, there = target in self.place, self.around(target)
        task = self.level["task"]
        enough = {"boil": there >= boils, "melt": there > melts, "freeze": there <= melts}[task]
        phase = {"boil": "gas", "melt": "liquid", "freeze": "solid"}[task]
        return focused, here and enough, focused and here and self.phase(target) == phase

    def goals_measure(self, target, focused):
        return self.reading is not None and self.reading[0] == target, self.phase(target) == "liquid", focused

    def goals_power(self, target, focused):
        return focused, nx.has_path(self.graph(), "battery", target), focused and target in self.running()

    def goals_conduct(self, target, focused):
        graph = self.graph()
        ring = self.ring(graph)
        tested = target in ring and bool(ring & CONSUMERS)
        return nx.has_path(graph, "battery", target), tested, self.place.get(target) == self.box()

    def goals_mix(self, target, focused):
        where = {color: self.place.get(f"{color} paint") for color in COLORS}
        pairs = [pair for pair, made in PAINTS.items() if f"{made} paint" == target]
        together = [{where[color] for color in pair} for pair in pairs]
        return any(len(places) == 1 and None not in places for places in together), target in self.place, focused

    def goals_grow(self, target, focused):
        planted = self.place.get(target) == self.place.get("soil") == "flower pot"
        return planted, self.age[target] >= 4, focused and self.age[target] >= 16

    def goals_find(self, target, focused):
        place = self.place.get(self.focus)
        return focused, focused and place == "agent", focused and place == self.box()
