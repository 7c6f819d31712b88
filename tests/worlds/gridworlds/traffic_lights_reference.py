"""A second implementation of TrafficLights from its page: cars are objects in lists, without arrays of cells.

It draws from the same random words in the documented order: lanes whose first car does not turn left, by intersection
and side; then the others; within a lane from the stop line back.
"""

M = (1 << 64) - 1
SIDES, TURNS = ["north", "east", "south", "west"], ["left", "straight", "right"]


class Car:
    def __init__(self, place, speed, turn):
        self.place, self.speed, self.turn = place, speed, turn


class Town:
    def __init__(self, params, level, word):
        self.p, self.word = params, word
        rows, columns = params["rows"], params["columns"]
        self.lanes, self.outside, self.gone, self.time = {}, {}, 0, 0
        self.lights = [[axis == "east-west", params["min_green"], 0] for axis in level["green"]]
        self.crossed = [0] * len(self.lights)
        self.inflow = level["inflow"]
        self.next = {}
        for k in range(rows * columns):
            for side, (down, right) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
                y, x = k // columns + down, k % columns + right
                inside = params["closed"] or (0 <= y < rows and 0 <= x < columns)
                self.next[k, side] = (y % rows) * columns + x % columns if inside else None
                self.lanes[k, side] = []
                if not inside:
                    self.outside[k, side] = 0
        for k, side, place, speed, turn in level["cars"]:
            self.lanes[k, SIDES.index(side)].append(Car(place, speed, TURNS.index(turn)))
        for lane in self.lanes.values():
            lane.sort(key=lambda car: -car.place)

    def draw(self):
        """Uniform on [0, 1): SplitMix64, upper 53 bits."""
        self.word = (self.word + 0x9E3779B97F4A7C15) & M
        z = self.word
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
        return ((z ^ (z >> 31)) >> 11) / 2**53

    def draw_turn(self):
        u = self.draw()
        return 0 if u < self.p["left"] else 2 if u < self.p["left"] + self.p["right"] else 1

    def exit_of(self, k, side, turn):
        """The lane after a turn, None outside. A driver from north heads south: left is east."""
        heading = (side + 2) % 4
        out = (heading + {0: -1, 1: 0, 2: 1}[turn]) % 4
        then = self.next[k, out]
        return None if then is None else (then, (out + 2) % 4)

    def green(self, k, side):
        axis, _, red = self.lights[k]
        return not red and (side in (1, 3)) == axis

    def choose(self, k, side, may_cross):
        length, before = self.p["length"], None
        for car in self.lanes[k, side]:
            if before is not None:
                gap = before - car.place - 1
            else:
                gap = length - 1 - car.place
                if may_cross:
                    then = self.exit_of(k, side, car.turn)
                    places = self.old.get(then, [])
                    gap += min(places) if places else 1000
            before = car.place
            car.speed = min(car.speed + 1, self.p["v_max"], gap)
            if car.speed > 0 and self.draw() < self.p["brake"]:
                car.speed -= 1

    def crossing(self, k, side):
        lane = self.lanes[k, side]
        return bool(lane) and lane[0].place + lane[0].speed >= self.p["length"]

    def step(self, switch):
        p, count = self.p, len(self.lights)
        for k in range(count):
            if switch[k]:
                self.lights[k] = [not self.lights[k][0], 0, p["all_red"]]
        self.old = {lane: [car.place for car in cars] for lane, cars in self.lanes.items()}
        for k in range(count):
            lefts = [side for side in range(4) if self.lanes[k, side] and self.lanes[k, side][0].turn == 0]
            for side in range(4):
                if side not in lefts:
                    self.choose(k, side, self.green(k, side))
            for side in lefts:
                other = (side + 2) % 4
                blocked = other not in lefts and self.crossing(k, other)
                self.choose(k, side, self.green(k, side) and not blocked)
        self.crossed = [0] * count
        movers = []
        for (k, side), lane in self.lanes.items():
            for car in list(lane):
                car.place += car.speed
                if car.place >= p["length"]:
                    car.place -= p["length"]
                    lane.remove(car)
                    movers.append((k, side, car))
        for k, side, car in movers:
            self.crossed[k] += 1
            then = self.exit_of(k, side, car.turn)
            if then is None:
                self.gone += 1
            else:
                car.turn = self.draw_turn()
                self.lanes[then].append(car)
                assert len({other.place for other in self.lanes[then]}) == len(self.lanes[then])
        for k, side in sorted(self.outside):
            self.outside[k, side] += self.draw() < self.inflow[k][side]
            lane = self.lanes[k, side]
            if self.outside[k, side] and not any(car.place == 0 for car in lane):
                self.outside[k, side] -= 1
                lane.append(Car(0, p["v_max"], self.draw_turn()))
        self.time += 1
        return [self.objectives(k, switch[k]) for k in range(count)]

    def objectives(self, k, switched):
        axis, age, red = self.lights[k]
        self.lights[k] = [axis, age, red - 1] if red else [axis, age + 1, 0]
        cars = [car for side in range(4) for car in self.lanes[k, side]]
        outside = sum(self.outside.get((k, side), 0) for side in range(4))
        queue = sum(car.speed == 0 for car in cars) + outside
        delay = sum(1 - car.speed / self.p["v_max"] for car in cars) + outside
        return [-queue, -delay, -int(switched), self.crossed[k]]

    def count(self):
        return sum(map(len, self.lanes.values()))

    def legal(self):
        return [[1, int(not red and age >= self.p["min_green"])] for _, age, red in self.lights]

    def observe(self, k):
        cars, turns = ([[-1] * self.p["length"] for _ in range(4)] for _ in range(2))
        for side in range(4):
            for car in self.lanes[k, side]:
                cars[side][car.place], turns[side][car.place] = car.speed, car.turn
        thens = [self.next[k, side] for side in range(4)]
        axis, age, red = self.lights[k]
        return {
            "cars": cars,
            "turns": turns,
            "waiting": [self.outside.get((k, side), 0) for side in range(4)],
            "ahead": [-1 if then is None else len(self.lanes[then, (side + 2) % 4]) for side, then in enumerate(thens)],
            "light": [int(axis), age, red],
            "left": [self.p["horizon"] - self.time],
        }
