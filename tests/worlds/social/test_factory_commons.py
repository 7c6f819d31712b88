"""FactoryCommons: in lock-step with recorded episodes of Melting Pot, its maps, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, hall, started, where

from envsuite.generators.factories import HEIGHT, WIDTH
from envsuite.kit import avatars
from envsuite.kit.avatars import PLAYER
from envsuite.social.factory_commons import APPLE, ARRIVING_APPLE, CUBE, FRUIT, holder, FactoryCommons, _CUBES, _FRUITS, spot

FILE = pathlib.Path("/tmp/ff/rec.json.gz")
EPISODES = json.loads(gzip.decompress(FILE.read_bytes()))
COPIES = 16


def place(batch, agents):
    """Put agents, by number, on (x, y, facing), all at once."""
    for s in batch.records:
        for a in agents:
            s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in agents.items():
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing
    batch.observe()


def padded(rows):
    return [row.ljust(WIDTH, "#") for row in rows] + ["#" * WIDTH] * (HEIGHT - len(rows))


def seen(batch, i, width, more):
    s = batch.records[i]
    things = {}
    for at in np.flatnonzero(s["goods"]):
        y, x = divmod(int(at), WIDTH + 16)
        code = int(s["goods"][at])
        cube, apple = code & 7, {0: 0, APPLE: 1, ARRIVING_APPLE: 2}[code & 248]
        things[(y - 8) * width + x - 8] = [1 if cube == 5 else cube, apple]
    agents = [[*where(batch, a, i), int(s["facing"][a]), int(s["stamina"][a])] for a in range(len(s["at"]))]
    mouths = []
    for clock in s["clock"][: s["machines"]]:
        mouths.append(0 if clock in (0, 18, 17, 16, 15) else 1 if clock in (14, 1) else 2)
    return {"g": agents, "t": things, "r": (batch.rewards[i].astype(int) + more).tolist()}


def hands(batch, i):
    """The agents that hold something, and can reach something ahead."""
    s, found = batch.record(i), []
    for a in np.flatnonzero(s.holds).tolist():
        at = avatars.beyond(s, s.at[a], s.facing[a])
        kind = FRUIT if s.goods[at] & _FRUITS else CUBE
        if s.goods[at] and holder(s, at, kind) in (-1, a):
            found.append(a)
    return found


class Twice:
    """There, a renewing machine can give its apple twice, if one eats it in the step in which it comes."""

    def __init__(self, batch):
        self.batch, self.again = batch, np.zeros((COPIES, 10), bool)

    def before(self):
        """Let machines give again."""
        s = self.batch.records
        self.waited = (s["due"][:, :, 1] > 0) & (s["doubles"] == 0)
        s["due"][:, :, 1] |= self.again

    def after(self):
        """(copies, agents) what is paid more there."""
        s = self.batch.records
        more = np.zeros(s["at"].shape, int)
        for i in range(COPIES):
            for m in range(s["machines"][i]):
                at = s["mouth"][i, m] + 1 + 2 * (WIDTH + 16)
                eaten = not s["due"][i, m, 1] and s["goods"][i, at] & _FRUITS == 0 and s["doubles"][i, m] == 0
                more[i] += (s["at"][i] == at) & bool(self.waited[i, m] and eaten)
                self.again[i, m] = s["clock"][i, m] == 5 and eaten
        return more


def follow(episode):
    """Play an episode of Melting Pot; the number of frames that were the same, and those left out."""
    rows, frames = episode["map"], episode["frames"]
    n, width = len(frames[0]["g"]), len(rows[0])
    batch = started(FactoryCommons(n, horizon=10_000, end_probability=0.0), COPIES, padded(rows))
    s, twice = batch.records, Twice(batch)
    place(batch, {a: g[:3] for a, g in enumerate(frames[0]["g"])})
    things = {k: [c, a] for k, c, a in frames[0]["c"]}
    for number, frame in enumerate(frames[1:], 1):
        things.update({k: [c, a] for k, c, a in frame["c"]})
        things = {k: both for k, both in things.items() if any(both)}
        waits = s["due"].any(2)
        twice.before()
        batch.step(tuple(frame["a"]))
        more = twice.after()
        wanted = {"g": frame["g"], "t": things, "r": frame.get("r", [0] * n)}
        after = frames[number + 1]["h"] if number + 1 < len(frames) else None
        matches = [i for i in range(COPIES) if seen(batch, i, width, more[i]) == wanted and after in (None, hands(batch, i))]
        if not matches:
            have = seen(batch, 0, width, more[0])
            print("frame", number, "of", len(frames), frame, "clock", s["clock"][0][:2], s["due"][0][:2], s["holds"][0], s["tired"][0])
            for part in wanted:
                if wanted[part] != have[part]:
                    print(part, "wanted", wanted[part], "have", have[part])
            print(rows)
            return number, 'FAIL'
        streams, chosen = s["rng"].copy(), np.resize(matches, COPIES)
        s[:] = s[chosen]
        twice.again = twice.again[chosen]
        s["rng"] = streams
        begun = s["clock"] == 18
        if (begun & waits[chosen]).any() or (begun.any(1) & ((s["clock"] > 0).sum(1) > 1)).any():
            return number, len(frames) - 1
    return number, len(frames) - 1


if __name__ == "__main__":
    for e in EPISODES:
        print(follow(e))
