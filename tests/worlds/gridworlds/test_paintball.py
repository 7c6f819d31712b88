"""Paintball: in lock-step with recorded episodes of Melting Pot, its maps, and each rule by a probe."""

import gzip
import json

import numpy as np
import pytest
from avatar_play import cell, hall, put_all, started, where
from kit import DATA
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate
from envsuite.gridworlds.paintball import Paintball
from envsuite.gridworlds.paintball.levels import MODES, SIZE
from envsuite.gridworlds.paintball.view import (
    BARRIER,
    DAMAGED,
    MARK,
    OTHER_BEAM,
    OTHER_FLAG,
    OTHER_PAINT,
    OWN_BEAM,
    OWN_FLAG,
    OWN_PAINT,
    RUBBLE,
)
from envsuite.kit.avatars import FLOOR, PLAYER

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, SHORT, LONG = range(9)
EAST, SOUTH, WEST, NORTH = range(4)
RED, BLUE = 1, 2
EPISODES = json.loads(gzip.decompress((DATA / "Paintball" / "paintball.json.gz").read_bytes()))
#: Copies that play each step of a recorded episode, because beams and walks have a random order.
COPIES = 32


def ground(batch, i=0):
    """(21, 21) the letter of each cell as in the file, and the bits of paint."""
    s = batch.records[i]
    cells = [cell(batch, x, y) for y in range(SIZE) for x in range(SIZE)]
    codes = s["cells"].copy()
    here = np.flatnonzero(s["away"] == 0)
    codes[s["at"][here]] = s["under"][here]
    letters = np.select([codes == RUBBLE, codes == BARRIER, codes == DAMAGED], ["u", "D", "d"], ".")
    paint = s["paint"] & 3
    letters = np.select([paint == RED, paint == BLUE], ["r", "b"], letters)
    return letters[cells], s["paint"][cells]


def seen(batch, i, numbers, back, frame):
    """Of copy i, what the file holds of a frame; of agents that came back only that they did."""
    s = batch.records[i]
    mode = MODES[s["params"]["mode"]]
    places = [None] * len(numbers)
    for k, a in enumerate(numbers):
        if not s["away"][a]:
            places[k] = "back" if k in back else [*where(batch, a, i), int(s["facing"][a])]
    flags = {}
    if mode == "flags" and not s["gone"]:
        for f in range(2):
            y, x = divmod(int(s["flag"][f]), SIZE + 16)
            flags[str(f)] = [bool(s["carrier"][f] >= 0), x - 8, y - 8]
    return {
        "g": places,
        "f": flags,
        "t": [int(s["cooldown"][a]) for a in numbers],
        "r": [int(batch.rewards[i, a]) for a in numbers],
        "s": "RBU"[s["holder"]] if mode == "hill" and frame["s"] else frame["s"],
    }


class Health:
    """What health an agent of Melting Pot has, by what is shown of it: hits and growth are seen one frame late."""

    def __init__(self):
        self.returned = set()  # agents whose health may be 3 unseen, because it grew where they were hit out
        self.grown = self.could = 0

    def follow(self, batch, numbers, before, frame):
        """Let health grow as in the recorded frame; where this is not seen, in every other copy."""
        s, team = batch.records, batch.world.team
        for k, a in enumerate(numbers):
            if s["away"][0, a]:
                continue
            health, paint = int(s["health"][0, a]), int(s["paint"][0, s["at"][0, a]]) & 3
            most = 2 if paint == 0 else 3 if paint == (RED if a < team else BLUE) else 1
            if before["g"][k] is None:
                self.returned.add(k)
            if frame["g"][k] is None:
                s["health"][::2, a] += health < most
                self.returned.discard(k)
                continue
            growth = frame["g"][k][2] - health
            assert growth in (0, 1) and (growth == 0 or health < most or k in self.returned)
            if before["g"][k] is not None and before["g"][k][2] != frame["g"][k][2]:
                self.returned.discard(k)
            self.could += health < most
            self.grown += growth
            s["health"][:, a] += growth


def follow(episode):
    """Play an episode of Melting Pot; the numbers of frames in which health grew, and could grow."""
    frames, n = episode["frames"], 2 * episode["team"]
    world = Paintball(episode["mode"], episode["team"], horizon=10_000, respawn=episode["respawn"], regeneration=0.0)
    batch, numbers = started(world, COPIES, episode["map"]), [k // 2 + k % 2 * episode["team"] for k in range(n)]
    s, health = batch.records, Health()
    letters = np.full(SIZE * SIZE, ".")
    for k, letter in frames[0]["c"]:
        letters[k] = letter
        y, x = divmod(k, SIZE)
        s["cells"][:, cell(batch, x, y)] = BARRIER if letter == "D" else RUBBLE
        s["strength"][:, cell(batch, x, y)] = 5 * (letter == "D")
    put_all(batch, {a: (x, y, facing) for a, (x, y, _, facing) in zip(numbers, frames[0]["g"])})
    s["before"] = s["at"]
    for before, frame in zip(frames, frames[1:]):
        health.follow(batch, numbers, before, frame)
        for k, letter in frame["c"]:
            letters[k] = letter
        actions = [NOOP] * n
        for k, a in enumerate(numbers):
            actions[a] = frame["a"][k]
        batch.step(tuple(actions))
        back = [k for k in range(n) if before["g"][k] is None and frame["g"][k] is not None]
        wanted = {part: frame.get(part, [0] * n) for part in "gftrs"}
        wanted["g"] = ["back" if k in back else g and [g[0], g[1], g[3]] for k, g in enumerate(frame["g"])]
        for i in range(COPIES):
            if seen(batch, i, numbers, back, frame) == wanted:
                there, paint = ground(batch, i)
                beams = [np.flatnonzero((paint & bits) == bits).tolist() for bits in (128, 72)]
                if beams == frame["b"] and (there == letters).all():
                    break
        else:
            raise AssertionError((wanted, seen(batch, 0, numbers, back, frame)))
        streams, match = s["rng"].copy(), s[i].copy()
        s[:] = match
        s["rng"] = streams
        if back:
            put_all(batch, {numbers[k]: (*frame["g"][k][:2], frame["g"][k][3]) for k in back})
            for k in back:
                x, y = frame["g"][k][:2]
                assert episode["map"][y][x] == "rb"[k % 2] and frame["g"][k][2] == 2
    return health.grown, health.could


@pytest.mark.parametrize("number", [0, 1])
def test_melting_pot_in_lock_step(number):
    """Places, facings, paint, barriers, beams, flags, control, rewards and cooldowns in every frame."""
    follow(EPISODES[number])


@pytest.mark.slow
def test_all_episodes_of_melting_pot_in_lock_step():
    """Health grows with probability 0.05 there."""
    grown, could = np.sum([follow(episode) for episode in EPISODES[2:]], axis=0)
    assert could > 3000 and stats.binomtest(int(grown), int(could), 0.05).pvalue > 1e-3


def test_maps():
    """Mirrored or turned, connected while all barriers stand, a base for each team or 48 cells of the hill."""
    for mode, hill in (("flags", 0), ("hill", 48)):
        levels = generate_many("paint_yards", 40, seed=0, mode=mode)
        assert len({tuple(level["map"]) for level in levels}) == 40
        other = str.maketrans("rbRB", "brBR")
        ways = set()
        for level in levels:
            rows, facts = level["map"], describe(level)
            assert facts["solvable"] and facts["hill"] == hill and facts["starts"] >= 18
            upside = [row.translate(other) for row in reversed(rows)]
            ways.add(0 if rows == upside else 1 if rows == [row[::-1] for row in upside] else 2)
            assert mutate(level, seed=1) != level
        assert ways == {0, 1}


def yard(**things):
    """A bare hall: red starts at the left of the lowest row, blue at its right; bases in the corners above."""
    return hall(SIZE, SIZE, "r" * 5, **{"b": [(x, 19) for x in range(15, 20)], "R": [(1, 1)], "B": [(19, 1)], **things})


def bare(*agents, num=1, level=None, **parameters):
    """A hall with these agents of red and blue in turn, each (x, y, facing); no health grows."""
    team = max(1, (len(agents) + 1) // 2)
    if parameters.get("mode") == "hill":
        level = level or yard(R=[], B=[], o=[(x, 10) for x in range(5, 15)])
    batch = started(Paintball(team=team, **{"regeneration": 0.0, **parameters}), num, level or yard())
    put_all(batch, {k // 2 + k % 2 * team: agent for k, agent in enumerate(agents)})
    batch.records["before"][:] = batch.records["at"]
    return batch


def act(batch, *actions):
    """Play the actions of red and blue in turn."""
    team = batch.world.team
    actions += (NOOP,) * (2 * team - len(actions))
    batch.step(tuple(actions[::2] + actions[1::2]))


def painted(batch, color, i=0):
    """The places (x, y) with this paint."""
    return {(int(k % SIZE), int(k // SIZE)) for k in np.flatnonzero((ground(batch, i)[1] & 3) == color)}


def dip(batch, color, *places):
    """Give floor this paint."""
    for x, y in places:
        batch.records["paint"][:, cell(batch, x, y)] = color | batch.records["paint"][:, cell(batch, x, y)] & MARK


def test_shots():
    """The short one paints 3 x 3 cells and one more ahead, without its own; both need rest."""
    batch = bare((5, 5, EAST), (15, 15, EAST))
    act(batch, SHORT)
    short = {(x, y) for x in (5, 6, 7) for y in (4, 5, 6)} | {(8, 5)}
    assert painted(batch, RED) == short and batch.records["cooldown"][0, 0] == 2
    assert batch.observations["ready"][0, 0, 0] == 0.5 and batch.observations["ready"][0, 1, 0] == 1
    beams = batch.observations["floor"][0, 0] & OWN_BEAM > 0
    assert beams.sum() == 9 and not beams[9, 5]
    dip(batch, 0, *short)
    for _ in range(2):
        act(batch, SHORT)
        assert not painted(batch, RED)
    act(batch, LONG)
    assert painted(batch, RED) == {(x, 5) for x in range(6, 12)} and batch.records["cooldown"][0, 0] == 4


def test_long_shots_need_a_stand():
    """An agent that walked in the step before cannot fire them; turning does not matter, nor being blocked."""
    for action, fires in ((FORWARD, False), (TURN_LEFT, True), (NOOP, True), (STEP_LEFT, False)):
        batch = bare((5, 5, EAST), (15, 15, EAST))
        act(batch, action)
        act(batch, LONG)
        assert (batch.records["cooldown"][0, 0] == 4) == fires
    batch = bare((1, 5, WEST), (15, 15, EAST))
    act(batch, FORWARD)
    act(batch, LONG)
    assert batch.records["cooldown"][0, 0] == 4 and not painted(batch, RED)


def test_paint_holds_the_other_team():
    """It can be entered; then neither walks nor turns work until a beam of the own team paints the cell."""
    batch = bare((5, 5, EAST), (15, 15, EAST))
    dip(batch, BLUE, (6, 5))
    act(batch, FORWARD)
    assert where(batch, 0) == (6, 5)
    for action in (FORWARD, BACKWARD, STEP_LEFT, TURN_RIGHT):
        act(batch, action)
        assert where(batch, 0) == (6, 5) and batch.records["facing"][0, 0] == EAST
    act(batch, LONG)
    assert (6, 5) in painted(batch, BLUE)
    batch.records["cooldown"][:] = 0
    act(batch, SHORT)
    assert (6, 5) in painted(batch, RED)
    act(batch, FORWARD)
    assert where(batch, 0) == (7, 5)


def test_beams_paint_after_the_shooter():
    """An agent that frees itself in the step in which a beam paints its cell stays stuck."""
    batch = bare((5, 5, EAST), (5, 9, NORTH), num=16)
    dip(batch, BLUE, (5, 5))
    act(batch, SHORT, LONG)
    assert all((5, 5) in painted(batch, BLUE, i) for i in range(16))
    batch = bare((5, 8, SOUTH), (8, 9, WEST), num=32)  # two beams on a cell: the last one paints
    act(batch, LONG, LONG)
    winners = {RED if (5, 9) in painted(batch, RED, i) else BLUE for i in range(32)}
    assert winners == {RED, BLUE}


def test_hits():
    """Health 2; beams go on behind those who stay, and end at those who leave; 81 observations without a view."""
    batch = bare((5, 5, EAST), (7, 5, EAST), (6, 5, EAST), (8, 5, EAST), respawn=4)
    act(batch, LONG)
    assert batch.records["health"][0].tolist() == [2, 2, 1, 1] and (11, 5) in painted(batch, RED)
    batch.records["cooldown"][:] = 0
    batch.records["health"][0, 3] = 3
    dip(batch, 0, *((x, 5) for x in range(6, 12)))
    act(batch, LONG)
    assert batch.records["health"][0].tolist() == [2, 2, 0, 3] and painted(batch, RED) == {(6, 5), (7, 5)}
    for _ in range(5):
        assert not batch.observations["view"][0, 2].any() and not batch.observations["floor"][0, 2].any()
        act(batch, NOOP, FORWARD)
    assert batch.observations["view"][0, 2].any() and where(batch, 2)[1] == 19 and where(batch, 2)[0] >= 15
    assert batch.records["health"][0, 2] == 2 and batch.observations["health"][0, 0].tolist() == [2, 2, 0, 3]


def test_all_shoot_at_once():
    batch = bare((5, 5, EAST), (8, 5, WEST))
    batch.records["health"][:] = 1
    act(batch, LONG, LONG)
    assert (batch.records["away"] > 0).all()


def test_health_grows():
    """To 3 on own paint, 1 on the other's and else 2; it is not lowered."""
    for paint, begin, end in ((RED, 1, 3), (RED, 3, 3), (0, 1, 2), (0, 3, 3), (BLUE, 1, 1), (BLUE, 2, 2)):
        batch = bare((5, 5, EAST), (15, 15, EAST), regeneration=1.0)
        dip(batch, paint, (5, 5))
        batch.records["health"][:, 0] = begin
        for _ in range(3):
            act(batch)
        assert batch.records["health"][0, 0] == end


def test_barriers():
    """Three hits damage, the fifth destroys, and its beam flies on; the rubble is walked over and never painted."""
    batch = bare((5, 5, EAST), (15, 15, EAST), level=yard(d=[(6, 5)]))
    batch.records["cells"][:, cell(batch, 6, 5)] = BARRIER
    batch.records["strength"][:, cell(batch, 6, 5)] = 5
    for code in (BARRIER, BARRIER, DAMAGED, DAMAGED, RUBBLE):
        assert not painted(batch, RED)
        act(batch, FORWARD)
        act(batch)
        batch.records["cooldown"][:] = 0
        act(batch, LONG)
        assert batch.observations["view"][0, 0, 8, 5] == code and where(batch, 0) == (5, 5)
    assert painted(batch, RED) == {(x, 5) for x in range(7, 12)}
    act(batch, FORWARD)
    batch.records["cooldown"][:] = 0
    act(batch, SHORT)
    assert where(batch, 0) == (6, 5) and (6, 5) not in painted(batch, RED)


@pytest.mark.slow
def test_barriers_that_stand():
    """d with probability 0.9, h with 0.75."""
    places = [(x, y) for x in range(2, 19) for y in range(2, 17)]
    for letter, chance in (("d", 0.9), ("h", 0.75)):
        batch = started(Paintball(team=1), 20, yard(**{letter: places}))
        stand = sum(int((ground(batch, i)[0] == "D").sum()) for i in range(20))
        assert stats.binomtest(stand, 20 * len(places), chance).pvalue > 1e-3


def test_flags():
    """Taken, carried, dropped by who is out, sent home by a touch, and captured for all of the team."""
    batch = bare((18, 1, EAST), (10, 10, EAST), (2, 1, WEST), (12, 12, EAST))
    seen = batch.observations
    assert seen["sign"][0].ravel().tolist() == [3, 3, 0, 3]  # blue_0 sees no outer wall
    assert seen["floor"][0, 0, 8, 5] == MARK + OTHER_FLAG and seen["floor"][0, 1, 8, 5] == MARK + OWN_FLAG
    act(batch, FORWARD)
    assert batch.records["carrier"][0].tolist() == [-1, 0] and seen["carries"][0, 0].tolist() == [1, 0, 0, 0]
    assert seen["sign"][0, 0, 0] == 1 and seen["floor"][0, 0, 9, 5] == MARK
    act(batch, BACKWARD)
    put_all(batch, {0: (10, 5, EAST), 2: (10, 7, NORTH), 3: (10, 4, SOUTH)})
    batch.records["flag"][:, 1] = cell(batch, 10, 5)
    batch.records["health"][:, 0] = 1
    batch.records["before"][:] = batch.records["at"]
    act(batch, NOOP, LONG)
    assert batch.records["away"][0, 0] and batch.records["carrier"][0, 1] == -1
    assert batch.records["flag"][0, 1] == cell(batch, 10, 5) and seen["floor"][0, 2, 7, 5] & OWN_FLAG
    act(batch, NOOP, NOOP, NOOP, FORWARD)
    assert batch.records["flag"][0, 1] == cell(batch, 19, 1) and not batch.rewards.any()
    put_all(batch, {1: (2, 1, WEST)})
    batch.records["carrier"][:, 1] = 1
    batch.records["flag"][:, 1] = cell(batch, 2, 1)
    act(batch, NOOP, NOOP, FORWARD)
    assert batch.rewards[0].tolist() == [1, 1, -1, -1] and batch.records["gone"][0] == 1
    assert not (seen["floor"][0, 1] & (OWN_FLAG | OTHER_FLAG)).any()
    act(batch)
    assert not batch.rewards.any() and batch.records["gone"][0] == 0 and seen["floor"][0, 1, 9, 5] == MARK + OWN_FLAG
    assert batch.records["flag"][0, 1] == cell(batch, 19, 1) and (batch.records["carrier"] == -1).all()


def test_captures_need_the_own_flag():
    """A carrier at its base waits for its flag: it captures when a team mate sends that home, not when it does so."""
    batch = bare((2, 1, WEST), (15, 15, EAST), (9, 9, EAST), (15, 10, EAST))
    batch.records["carrier"][:, 1] = 0
    batch.records["flag"][:, 1] = cell(batch, 2, 1)
    batch.records["flag"][:, 0] = cell(batch, 10, 9)
    act(batch, FORWARD)
    assert not batch.rewards.any() and where(batch, 0) == (1, 1)
    act(batch, NOOP, NOOP, FORWARD)
    assert batch.rewards[0].tolist() == [1, 1, -1, -1]
    batch = bare((2, 2, WEST), (15, 15, EAST))
    batch.records["carrier"][:, 1] = 0
    batch.records["flag"][:] = [cell(batch, 1, 2), cell(batch, 2, 2)]
    act(batch, FORWARD)
    assert batch.records["flag"][0].tolist() == [cell(batch, 1, 1), cell(batch, 1, 2)] and not batch.rewards.any()


def test_a_flag_at_the_others_base_is_in_the_way():
    batch = bare((9, 9, EAST), (15, 15, EAST), (5, 1, WEST), (15, 10, EAST))
    batch.records["flag"][:] = [cell(batch, 10, 9), cell(batch, 1, 1)]
    act(batch, FORWARD)
    assert batch.records["flag"][0, 0] == cell(batch, 10, 9)
    put_all(batch, {1: (2, 1, WEST)})
    act(batch, NOOP, NOOP, FORWARD)  # red_1 takes it, its own flag comes home, and it captures
    assert batch.rewards[0].tolist() == [1, 1, -1, -1]


def test_hill():
    """80 % of the paint take it, less than half lose it; it pays by the paint at the beginning of a step."""
    batch = bare((2, 2, EAST), (15, 15, EAST), mode="hill")
    hill = [(x, 10) for x in range(5, 15)]
    put_all(batch, {0: (4, 9, EAST)})
    assert batch.observations["sign"][0, 0, 0] == 0 and (batch.observations["floor"][0, 0] & MARK > 0).sum() == 9
    dip(batch, RED, *hill[:7])
    act(batch)
    assert not batch.rewards.any() and batch.records["holder"][0] == -1
    dip(batch, RED, hill[7])
    act(batch)
    assert batch.rewards[0].tolist() == [1, -1] and painted(batch, RED) >= set(hill)
    dip(batch, BLUE, *hill[:5])
    act(batch)
    assert batch.rewards[0].tolist() == [1, -1]
    dip(batch, BLUE, hill[5])
    act(batch)
    assert not batch.rewards.any() and batch.records["holder"][0] == -1
    put_all(batch, {0: (1, 9, SOUTH), 1: (19, 9, SOUTH)})
    dip(batch, BLUE, *hill)
    act(batch)
    assert batch.rewards[0].tolist() == [-1, 1] and batch.observations["sign"][0].ravel().tolist() == [2, 1]
    put_all(batch, {0: (4, 10, EAST)})
    batch.records["before"][:] = batch.records["at"]
    batch.records["holder"][:] = -1
    act(batch, LONG)  # a beam in the step in which a team takes the hill paints after that
    assert batch.rewards[0].tolist() == [-1, 1] and len(painted(batch, RED)) == 6


def test_what_is_seen():
    """Paint, beams, health and flags are seen from the own team's side, and turned."""
    batch = bare((5, 10, NORTH), (5, 4, EAST), (5, 16, EAST), (4, 4, WEST))
    dip(batch, RED, (7, 9))
    dip(batch, BLUE, (3, 5))
    act(batch, NOOP, SHORT)
    red, blue = batch.observations["floor"][0, 0], batch.observations["floor"][0, 2]
    assert red[8, 7] == OWN_PAINT and red[4, 3] == OTHER_PAINT
    assert red[3, 6] == OTHER_PAINT + OTHER_BEAM and blue[9, 5] == OWN_PAINT and blue[8, 5] == OWN_PAINT + OWN_BEAM
    assert batch.observations["health"][0, 0].tolist() == [2, 0, 2, 2]
    assert batch.observations["teams"][0, 0].tolist() == [1, 1, 2, 2]
    assert batch.observations["teams"][0, 3].tolist() == [2, 2, 1, 1]
    assert batch.observations["view"][0, 0, 3, 5] == PLAYER + 8 + 1
    assert batch.observations["view"][0, 0, 9, 6] == FLOOR


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["flags", "hill"])
def test_policies(mode):
    envs = envsuite.make_vec("Paintball", 8, mode=mode)
    names = envsuite.make_parallel("Paintball", mode=mode).possible_agents

    def red(own, other):
        envs.reset(seed=0)
        seats = {name: own if name.startswith("red") else other for name in names}
        return envs.rollout(seats, 1000, seed=0).returns[:4].mean()

    least = 1 if mode == "flags" else 300
    assert red("painter", "random") > least and red("raider", "random") > 2 * least
    assert red("raider", "painter") > least


def test_levels_and_text():
    env = envsuite.make_parallel("Paintball", team=2)
    for rows, message in (
        (yard(R=[]), "one base of each team"),
        (yard(B=[(19, 1), (5, 5)]), "one base of each team"),
        (yard(o=[(5, 5)]), "no hill"),
        ([row.replace("b", ".") for row in yard()], "0 starts of blue"),
        (yard()[:-1], "21 texts of 21"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})
    hill = envsuite.make_parallel("Paintball", team=2, mode="hill")
    for rows, message in ((yard(), "must have a hill"), (yard(o=[(5, 5)]), "no bases")):
        with pytest.raises(LevelError, match=message):
            hill.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "paint_yards", "map": yard(), "x": 1})
    env.reset(seed=0, options={"level": {"map": yard()}})
    put_all(env.batch, {0: (5, 5, EAST), 2: (6, 5, NORTH)})
    env.batch.records["carrier"][:, 1] = 0
    env.batch.records["flag"][:, 1] = cell(env.batch, 5, 5)
    dip(env.batch, BLUE, (5, 5))
    env.batch.observe()
    text = env.text("red_0")
    assert "You have the other team's flag" in text and "neither walk nor turn" in text
    assert "blue_0 health 2" in text and "only your flag" in text
    env.batch.records["health"][:, 0] = 1
    put_all(env.batch, {2: (6, 5, WEST)})
    env.step(dict(zip(env.agents, (NOOP, NOOP, SHORT, NOOP))))
    assert "You are out" in env.text("red_0") and len(env.scene().shapes) > 50
