"""A second implementation of Intersection from its page: cars are objects, places are complex numbers x + i y.

It draws from the same random words, for a car in the order: arm, exit, place, speed, exponent, driver.
"""

import cmath
import math

M = (1 << 64) - 1
ARMS = ["south", "west", "north", "east"]
DRIVERS = {"normal": (7, 1.5, 6, 3, True), "hasty": (4, 0.8, 6, 3, False), "careful": (10, 2.5, 3, 2, True)}
DT = 1 / 15


class Line:
    def __init__(self, start, end, rank):
        self.start, self.length, self.rank = start, abs(end - start), rank
        self.way = (end - start) / self.length

    def at(self, along):
        return self.start + along * self.way, self.way

    def project(self, place):
        local = (place - self.start) / self.way
        return local.real, abs(local.imag)


class Arc:
    """A quarter circle; `sense` is 1 if the angle grows."""

    def __init__(self, centre, radius, angle, sense, rank):
        self.centre, self.radius, self.angle, self.sense, self.rank = centre, radius, angle, sense, rank
        self.length = math.pi / 2 * radius

    def at(self, along):
        ray = cmath.exp(1j * (self.angle + self.sense * along / self.radius))
        return self.centre + self.radius * ray, ray * 1j * self.sense

    def project(self, place):
        ray = (place - self.centre) * cmath.exp(-1j * self.angle)
        return self.sense * cmath.phase(ray) * self.radius, abs(abs(ray) - self.radius)


class Car:
    def __init__(self, arm, out, way, speed, wanted, agent, **more):
        self.arm, self.out, self.way, self.speed, self.wanted, self.agent = arm, out, way, speed, wanted, agent
        self.exponent, self.driver = more.get("exponent", 4.0), more.get("driver", "normal")
        self.yields, self.crash, self.push = more.get("yields", False), more.get("crash", 0), 0.0


class Traffic:
    def __init__(self, params, level=None, word=0):
        self.p, self.word, self.t = params, word, 0
        self.approach, self.exit, self.cross = [], [], {}
        for arm in range(4):
            quarter = 1j**arm
            main = arm % 2
            self.approach.append(Line(quarter * (2 + 111j), quarter * (2 + 11j), 3 if main else 1))
            self.exit.append(Line(quarter * (-2 + 11j), quarter * (-2 + 111j), 1 if main else 3))
            self.cross[arm, (arm + 3) % 4] = Arc(
                quarter * (11 + 11j), 9, math.pi + arm * math.pi / 2, 1, 3 if main else 1
            )
            self.cross[arm, (arm + 2) % 4] = Line(quarter * (2 + 11j), quarter * (2 - 11j), 3 if main else 1)
            self.cross[arm, (arm + 1) % 4] = Arc(quarter * (-11 + 11j), 13, arm * math.pi / 2, -1, 2 if main else 0)
        if level is None:
            self.cars = []
            self.begin()
        else:
            self.cars = [self.read(car, True) for car in level["agents"]]
            self.cars += [self.read(car, False) for car in level["cars"]]

    def read(self, car, agent):
        more = {name: car[name] for name in ("exponent", "driver", "yields", "crash") if name in car}
        return Car(
            ARMS.index(car["from"]), ARMS.index(car["to"]), car["way"], car["speed"], car["wanted"], agent, **more
        )

    # Chance.

    def bits(self):
        self.word = (self.word + 0x9E3779B97F4A7C15) & M
        z = self.word
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
        return z ^ (z >> 31)

    def uniform(self):
        return (self.bits() >> 11) / 2**53

    def below(self, size):
        return (self.bits() >> 32) * size >> 32

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())

    def draw_driver(self):
        left = self.uniform() * sum(self.p["humans"])
        for share, name in zip(self.p["humans"], DRIVERS):
            left -= share
            if left < 0:
                return name
        return None

    # Roads.

    def lanes(self, car):
        return [self.approach[car.arm], self.cross[car.arm, car.out], self.exit[car.out]]

    def section(self, car):
        rest = car.way
        for number, lane in enumerate(self.lanes(car)):
            if number == 2 or rest < lane.length:
                return number, rest
            rest -= lane.length
        return None

    def place(self, car):
        number, along = self.section(car)
        return self.lanes(car)[number].at(along)

    def connected(self, lane):
        """Lanes after and before one, each with the offset of its metres."""
        for arm in range(4):
            if lane is self.approach[arm]:
                after = [self.cross[arm, (arm + turn) % 4] for turn in (3, 1, 2)]
                return [(other, lane.length) for other in after] + [(self.exit[arm], -100)]
            if lane is self.exit[arm]:
                before = [self.cross[other, arm] for other in range(4) if other != arm]
                return [(self.approach[arm], lane.length)] + [(other, -other.length) for other in before]
        ((arm, out),) = [key for key, other in self.cross.items() if other is lane]
        return [(self.exit[out], lane.length), (self.approach[arm], -100)]

    # A tick.

    def ahead(self, car, lane):
        here, best = lane.project(self.place(car)[0])[0], None
        looks = [(lane, 0.0), *(self.connected(lane) if self.p["connected"] else [])]
        for other in self.cars:
            if other is car:
                continue
            for look, offset in looks:
                along, aside = look.project(self.place(other)[0])
                if aside <= 3 and -5 <= along < look.length + 5:
                    if along + offset >= here and (best is None or along + offset <= best[0]):
                        best = along + offset, other
                    break
        return best and best[1]

    def follow(self, car, lane, own):
        gap, time, most, brake, _ = DRIVERS[car.driver]
        result = most * (1 - (max(car.speed, 0) / max(car.wanted, 0.01)) ** car.exponent)
        other = self.ahead(car, lane)
        if other is not None:
            (place, way), (there, its_way) = self.place(car), self.place(other)
            closing = car.speed - other.speed * (its_way * way.conjugate()).real
            wish = gap + car.speed * time + car.speed * closing / (2 * math.sqrt(most * brake))
            room = own.project(there)[0] - own.project(place)[0]
            if abs(room) <= 0.01:
                room = 0.01 if room >= 0 else -0.01
            result -= most * (wish / room) ** 2
        return result

    def drive(self, car):
        number, along = self.section(car)
        lanes = self.lanes(car)
        pushes = [self.follow(car, lanes[number], lanes[number])]
        if number < 2 and along > lanes[number].length - 2.5:
            pushes.append(self.follow(car, lanes[number + 1], lanes[number]))
        return min(max(min(pushes), -6), 6)

    def later(self, car, seconds):
        number, along = self.section(car)
        lanes = self.lanes(car)
        if number < 2 and along > lanes[number].length - 2.5:
            number += 1
        along += car.speed * seconds
        while number < 2 and along > lanes[number].length:
            along -= lanes[number].length
            number += 1
        return lanes[number].at(along)

    def conflict(self, one, other):
        for quarter in range(1, 12):
            boxes = [self.later(car, quarter / 4) for car in (one, other)]
            if abs(boxes[0][0] - boxes[1][0]) > 5:
                continue
            for (place, way), (its_place, its_way) in (boxes, boxes[::-1]):
                points = [place + way * (x + 1j * y) for x in (-3.75, 0, 3.75) for y in (-0.9, 0, 0.9)]
                local = [(point - its_place) * its_way for point in points]  # turned the wrong way
                if any(abs(point.real) <= 3.75 and abs(point.imag) <= 0.9 for point in local):
                    return True
        return False

    def rank(self, car):
        return self.lanes(car)[self.section(car)[0]].rank

    def distance_ahead(self, car, other):
        place, way = self.place(car)
        return ((self.place(other)[0] - place) * way.conjugate()).real

    def regulate(self):
        for car in self.cars:
            if car.yields:
                car.yields, car.wanted = False, 10.0
        pairs = [(a, b) for i, a in enumerate(self.cars) for b in self.cars[i + 1 :]]
        for a, b in pairs:
            if not (a.agent and b.agent) and self.conflict(a, b):
                if self.rank(a) != self.rank(b):
                    loser = min(a, b, key=self.rank)
                else:
                    loser = a if self.distance_ahead(a, b) > self.distance_ahead(b, a) else b
                if not loser.agent and DRIVERS[loser.driver][4]:
                    loser.yields, loser.wanted = True, 0.0

    def corners(self, car):
        place, way = self.place(car)
        return [place + way * (x + 1j * y) for x in (-2.5, 2.5) for y in (-1, 1)], way

    def collide(self):
        for i, a in enumerate(self.cars):
            for b in self.cars[i + 1 :]:
                (ours, way), (theirs, its_way) = self.corners(a), self.corners(b)
                if abs(sum(ours) - sum(theirs)) / 4 > 12:
                    continue
                shift, gaps = (a.speed * way - b.speed * its_way) * DT, []
                for axis in (way, way * 1j, its_way, its_way * 1j):
                    one = [(point * axis.conjugate()).real for point in ours]
                    two = [(point * axis.conjugate()).real for point in theirs]
                    move = (shift * axis.conjugate()).real
                    now = max(min(two) - max(one), min(one) - max(two))
                    soon = max(min(two) - max(one) - max(move, 0), min(one) + min(move, 0) - max(two))
                    gaps.append((now, soon))
                for car in (a, b):
                    if max(now for now, _ in gaps) <= 0:
                        car.crash = 2
                    elif max(soon for _, soon in gaps) <= 0:
                        car.crash = max(car.crash, 1)

    def tick(self, number):
        for car in self.cars:
            car.push = (car.wanted - car.speed) / 0.6 if car.agent else 0.0 if car.crash == 2 else self.drive(car)
        if number % 7 == 0:
            self.regulate()
        for car in self.cars:
            push = -car.speed if car.crash == 2 else car.push
            car.way += car.speed * DT
            car.speed += push * DT
            car.crash = 2 if car.crash else 0
        self.collide()

    # Steps.

    def arrive(self, way, spread, speed_spread, straight):
        arm, turn = self.below(4), 1 + self.below(3)
        way, speed = way + 5 + spread * self.normal(), 8 + speed_spread * self.normal()
        more = {"exponent": 3.5 + self.uniform(), "driver": self.draw_driver()}
        car = Car(arm, (arm + (2 if straight else turn)) % 4, way, speed, min(max(speed, 0), 10), False, **more)
        if all(abs(self.place(other)[0] - self.place(car)[0]) >= 15 for other in self.cars):
            self.cars.append(car)

    def begin(self):
        for k in range(self.p["cars"] - 1):
            if self.uniform() < self.p["spawn"]:
                self.arrive(80 * k / (self.p["cars"] - 1), 1, 1, False)
        for number in range(1, 46):
            self.tick(number)
        if self.p["cars"]:
            self.arrive(60, 0.1, 0, True)
        for a in range(self.p["players"]):
            out = (a + 1 + self.below(3)) % 4 if self.p["destination"] == "random" else 0 if a == 1 else 1
            agent = Car(a, out, 60 + 5 * (1 + self.normal()), 10.0, 9.0, True)
            place = self.place(agent)[0]
            self.cars = [car for car in self.cars if car.agent or abs(self.place(car)[0] - place) >= 20]
            self.cars.insert(a, agent)

    def step(self, actions):
        if self.t:
            self.cars = [car for car in self.cars if car.agent or self.section(car)[0] < 2 or self.section(car)[1] < 80]
            if self.uniform() < self.p["spawn"]:
                self.arrive(0, 1, 1, False)
        self.t += 1
        agents = self.cars[: self.p["players"]]
        for car, action in zip(agents, actions):
            if action != 1:
                nearest = min((0, 1, 2), key=lambda k: abs(4.5 * k - car.speed))
                car.wanted = 4.5 * min(max(nearest + action - 1, 0), 2)
        for number in range(1, 16):
            self.tick(45 + 15 * (self.t - 1) + number)
        objectives = []
        for car in agents:
            number, along = self.section(car)
            done = number == 2 and along >= 25
            fast = min(max((car.speed - 7) / 2, 0), 1)
            objectives.append([0, 0, 1] if done else [-(car.crash == 2), fast, 0])
        over = any(car.crash == 2 for car in agents) or all(part[2] for part in objectives)
        if self.p["pays"] == "mean":
            mean = [sum(column) / len(agents) for column in zip(*objectives)]
            objectives = [mean] * len(agents)
        return objectives, over

    def observe(self, agent):
        own, players = self.cars[agent], self.p["players"]
        rows, (number, _) = [], self.section(own)
        lane, place = self.lanes(own)[number], self.place(own)[0]
        for car in self.cars:
            there = self.place(car)[0]
            ahead = lane.project(there)[0] - lane.project(place)[0]
            if car is not own and abs(there - place) < 200 and ahead > -10:
                rows.append((abs(ahead), car))
        rows.sort(key=lambda row: row[0])
        table = []
        for car in [own, *(car for _, car in rows[:14])]:
            there, way = self.place(car)
            parts = [there.real / 100, there.imag / 100, car.speed * way.real / 20, car.speed * way.imag / 20]
            table.append([1.0, *(min(max(part, -1), 1) for part in parts), way.real, way.imag])
        table += [[0.0] * 7] * (15 - len(table))
        others = [self.cars[(agent + k) % players] for k in range(players)]
        return table, [[car.arm, car.out, car.way, car.speed, car.wanted] for car in others]
