"""Playing episodes of Melting Pot in lock-step: `tests/data/recorders/commons.py` says what their files hold.

The episodes are stored ones, or they have just been played by the engine, if its packages can be installed.

A step is played without growth, by several copies, since agents move in random order; what grew in Melting Pot is put
on the map before it, or after it in `late` worlds. Where the first fits, growth ends the step before it in our world.
"""

import gzip
import itertools
import json
import subprocess
from dataclasses import dataclass, field

import numpy as np
import pytest
from avatar_play import cell, codes, lit, put_all, started, where
from kit import DATA

from envsuite.kit.avatars import LIT

#: Copies that try each step, and how often, guess by guess, then again.
COPIES, ROUNDS = 3, (2, 8, 40)


def episodes(world, name="melting_pot"):
    """The recorded episodes of a world."""
    return read(DATA / world / f"{name}.json.gz")


def read(path):
    return json.loads(gzip.decompress(path.read_bytes()))


def played(world, folder, frames, seed=100):
    """Episodes of a world that Melting Pot's engine plays now, each of at most this many frames.

    Their seeds are those of the stored ones and `seed`.
    """
    from reference_environment import UnavailableError, interpreter, sources

    try:
        python = interpreter("meltingpot", again=False)
    except UnavailableError as problem:
        pytest.skip(str(problem))
    path = folder / world / "melting_pot.json.gz"
    path.parent.mkdir()
    recorder = DATA / "recorders/commons.py"
    command = [python, recorder, sources("meltingpot"), path, str(frames), str(seed)]
    subprocess.run(command, check=True, capture_output=True)
    return read(path)


@dataclass
class Tally:
    """How often something happened, its expectation and its variance."""

    found: float = 0.0
    expected: float = 0.0
    variance: float = 0.0
    trials: int = 0

    def add(self, found, chance, trials=1):
        self.found += found
        self.expected += trials * chance
        self.variance += trials * chance * (1 - chance)
        self.trials += trials

    def __add__(self, other):
        return Tally(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))

    def fits(self, errors=3.5):
        """Whether the number is within that many standard errors of its expectation, which is more than 5."""
        return self.expected > 5 and abs(self.found - self.expected) < errors * np.sqrt(self.variance)


@dataclass
class Rules:
    """How a world is followed; `s` is a record, `k` a number of a cell of the file, and `at` one of a cell of ours."""

    letters: dict  # our codes of what is on the map, to letters of the file
    insert: object  # (s, at, letter) puts what has grown on the map; False if it cannot grow there
    grows: str  # letters of what grows
    late: bool = False  # whether things grow after beams
    observed: dict = field(default_factory=dict)  # by name in the file: (follower, i) -> what it has, None if unknown
    eaten: str = ""  # the letter of what may grow unseen: it pays agents under it, or that enter in the same step
    hidden: object = None  # (batch, before, frame) -> further lists of (k, letter) that may have grown unseen
    prepare: object = None  # (follower, i, frame) changes copy i before a step where the worlds differ by its page
    settle: object = None  # (follower, i, frame) does so after it
    same: object = None  # (follower, k, ours, theirs) -> whether letters may differ so, by what the page says
    shown: object = None  # (follower, i, frame, cells) -> what Melting Pot's beams (x, y) would be here


def grid(batch, i, rules):
    """The letters of all cells of copy i, row by row."""
    s = batch.records[i]
    found = codes(batch, i)
    for a in range(batch.world.players):
        if not s["away"][a]:
            x, y = where(batch, a, i)
            found[y, x] = s["under"][a]
    return [rules.letters.get(code, ".") for code in found.reshape(-1).tolist()]


def places(batch, i):
    """Of each agent of copy i x, y and the facing, or None."""
    s = batch.records[i]
    return [None if s["away"][a] else [*where(batch, a, i), int(s["facing"][a])] for a in range(batch.world.players)]


def restore(s, saved):
    """Back to these records, but with new random numbers."""
    streams = s["rng"].copy()
    s[:] = saved
    s["rng"] = streams


#: What is compared, in this order; other names are parts of observations.
STAGES = ("away", "place", "cells", "rewards", "beams", "observed")


class Follower:
    """Follows one episode; `tally` has what was counted, by name."""

    def __init__(self, world, episode, rules, copies=COPIES):
        self.rules, self.frames, self.rows = rules, episode["frames"], episode["map"]
        self.width = len(self.rows[0])
        self.batch = started(world, copies, self.rows)
        self.cells = ["#" if letter == "#" else "." for row in self.rows for letter in row]
        self.change(self.frames[0])
        self.unseen = 0
        self.returns = []
        put_all(self.batch, dict(enumerate(self.frames[0]["g"])))
        ours = grid(self.batch, 0, rules)  # in some substrates things grow before the first frame
        self.grow(self.batch.records, [(k, b) for k, (a, b) in enumerate(zip(ours, self.cells)) if a != b])
        different = self.differs(0, self.frames[0], [])
        assert different is None, different

    def change(self, frame):
        for k, letter in frame["c"]:
            self.cells[k] = letter

    def at(self, k):
        return cell(self.batch, k % self.width, k // self.width)

    def differs(self, i, frame, credits):
        """What of a frame copy i does not show, or None."""
        batch, found, rules = self.batch, places(self.batch, i), self.rules
        for a, (ours, theirs) in enumerate(zip(found, frame["g"])):
            if ours is None or theirs is None:
                if ours is not theirs:
                    return "away", a, ours, theirs
            elif a not in self.back and ours != theirs:
                return "place", a, ours, theirs
        if (ours := grid(batch, i, rules)) != self.cells:
            pairs = [(k, a, b) for k, (a, b) in enumerate(zip(ours, self.cells)) if a != b]
            if not rules.same or not all(rules.same(self, *pair) for pair in pairs):
                return "cells", pairs
        rewards = np.array(frame.get("r", [0.0] * batch.world.players))
        paid = np.zeros(batch.world.players)
        for a in credits:
            paid[a] += 1
        if np.abs(batch.rewards[i] + paid - rewards).max() > 1e-6 and self.t:
            return "rewards", batch.rewards[i].tolist(), rewards.tolist()
        theirs = {(k % self.width, k // self.width) for beam in frame["b"].values() for k in beam}
        theirs = rules.shown(self, i, frame, theirs) if rules.shown else theirs
        if lit(batch, i) != theirs:
            return "beams", lit(batch, i) - theirs, theirs - lit(batch, i)
        for name, ours in rules.observed.items():
            if (value := ours(self, i)) is not None and not np.allclose(value, frame["o"][name]):
                return "observed", name, value, frame["o"][name]
        return None

    t, back, old, grown, settled = 0, (), (), (), False

    def guesses(self, before, frame):
        """What may have grown: lists of (k, letter), and of agents that were paid for what grew under them."""
        seen = [(k, letter) for k, letter in frame["c"] if letter in self.rules.grows and self.old[k] == "."]
        options = []
        for a, reward in enumerate(frame.get("r", [])):
            old, new = before["g"][a], frame["g"][a]
            if not reward or not self.rules.eaten or old is None and not self.rules.late:
                continue
            walks = new and old and new[:2] != old[:2]
            mine = [([], [])]
            if self.rules.late:
                mine.append(([], [a]))
            else:
                # There, what grows under an agent whose walk is blocked pays it twice.
                blocked = new and not walks and frame["a"][a] in range(1, 5)
                mine.append(([], [a, a] if blocked else [a]))
            if walks and not self.rules.late:
                entered = [(self.width * new[1] + new[0], self.rules.eaten)]
                mine += [(entered, []), (entered, [a])]
            options.append(mine)
        found = list(itertools.product(*options))
        found.sort(key=lambda choice: sum(len(cells) + len(agents) for cells, agents in choice))
        for choice in found:
            yield seen + [k for cells, _ in choice for k in cells], [a for _, agents in choice for a in agents]
        if self.rules.hidden:
            for more in self.rules.hidden(self, before, frame):
                yield seen + more, []

    def step(self, before, frame):
        batch, s = self.batch, self.batch.records
        self.back = [a for a, (old, new) in enumerate(zip(before["g"], frame["g"])) if old is None and new]
        self.start = start = s.copy()
        reason = None
        self.old = list(self.cells)
        self.change(frame)
        self.t += 1
        # Rounds of more attempts: nearly always the first guess holds, and the first order of moves.
        for attempts in ROUNDS:
            for guess, (grown, credits) in enumerate(self.guesses(before, frame)):
                restore(s, start)
                self.grown = grown
                if not self.rules.late and not self.grow(s, grown):
                    continue
                ready = s.copy()
                for _ in range(attempts):
                    restore(s, ready)
                    for i in range(batch.num) if self.rules.prepare else ():
                        self.rules.prepare(self, i, frame)
                    batch.step(tuple(frame["a"]))
                    for i in range(batch.num):
                        if self.rules.late and not self.grow(s[i : i + 1], grown):
                            continue
                        if self.rules.settle:
                            self.rules.settle(self, i, frame)
                        different = self.differs(i, frame, credits)
                        if different is None:
                            self.take(i, frame)
                            self.unseen += guess > 0
                            return self.old, grown, credits
                        if not guess and (reason is None or STAGES.index(different[0]) >= STAGES.index(reason[0])):
                            reason = different
        raise AssertionError((self.t, reason, before["g"], frame, list(self.guesses(before, frame))))

    def grow(self, s, grown):
        """Let all of this grow in these records; False if it cannot."""
        return all(self.rules.insert(record, self.at(k), letter) for record in s for k, letter in grown)

    def take(self, i, frame):
        """All copies go on as copy i did."""
        s, chosen = self.batch.records, self.batch.records[i].copy()
        restore(s, chosen)
        if self.back:
            put_all(self.batch, {a: frame["g"][a] for a in self.back})
            self.returns += [frame["g"][a] for a in self.back]
            s["under"] &= LIT - 1  # a beam may have gone over their cells

    def steps(self):
        """Follow: for each step the cells before it, what grew, agents paid for what grew under them, and its frame."""
        for before, frame in itertools.pairwise(self.frames):
            yield *self.step(before, frame), before, frame
