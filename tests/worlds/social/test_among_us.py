"""AmongUs: random play against the source's own code, ticks, kills and meetings step by step, baselines, pictures."""

from functools import partial

import kit
import numpy as np
import pytest
from kit import legal

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.render.scene import Circle
from envsuite.social.among_us import AmongUs, view
from envsuite.social.among_us.rules import (
    BODY,
    COMING,
    CREW,
    EJECTION,
    HERE,
    IMPOSTER,
    KILLING,
    LEAVING,
    ROOMS,
    SURVEY,
    TALK,
    TASKS,
    UNDECIDED,
    UNSEEN,
    VOTE,
)  # fmt: skip
from envsuite.testing import random_actions

ID = "envsuite/AmongUs-v0"
QUICK = dict(survey=False, ticks=10_000)  # beliefs change no outcome of random play

#: Share of games won by the imposter, by an ejection and by tasks, when all act at random: reported for 400 games of
#: the source's code, and my own run of it, 20,000 games (SocialDeductionLLM, src/string_env.py at 0cac8fa, cooldown 5,
#: task time 3; actions and votes uniform over what it offers).
RANDOM_PLAY = {
    "2x2": ({}, (0.848, 0.147, 0.005), (0.8620, 0.1289, 0.0091)),
    "1x3": (dict(width=3, height=1), (0.848, 0.140, 0.013), (0.8519, 0.1386, 0.0095)),
    "2x1": (dict(width=2, height=1), (0.848, 0.125, 0.028), (0.8285, 0.1537, 0.0179)),
    "2 tasks": (dict(tasks=2), (0.752, 0.152, 0.095), (0.7991, 0.1252, 0.0758)),
    "6 tasks": (dict(tasks=6), (0.838, 0.163, 0.000), (0.8719, 0.1261, 0.0021)),
    "3 crew": (dict(players=4), (0.917, 0.077, 0.005), (0.9341, 0.0596, 0.0063)),
    "5 crew": (dict(players=6), (0.785, 0.190, 0.020), (0.8175, 0.1663, 0.0162)),
    "3x2, 5 tasks": (dict(width=3, tasks=5), (0.868, 0.128, 0.004), (0.8756, 0.1210, 0.0034)),
}
#: The same for crew that report, else work, else act at random, and an imposter that kills whenever it may.
EAGER = ((0.850, 0.133, 0.018), (0.8305, 0.1496, 0.0199))


started = partial(kit.started, ID)


def level(imposter, *tasks):
    """A level of five: the imposter, and each player's tasks as letters, the same for all if only one is given."""
    tasks = tasks * 5 if len(tasks) == 1 else tasks
    return {"imposter": imposter, "tasks": [[] if a == imposter else list(tasks[a]) for a in range(5)]}


def step(batch, chosen=None):
    """One transition of all copies: what some agents do, and the others wait, suspect anyone, are silent, skip."""
    names = dict(chosen or {})
    for a in np.flatnonzero(batch.acting[0]):
        own = batch.world.action_names[a]
        if a in names:
            batch.actions[:, a] = own.index(names.pop(a))
        else:
            quiet = [own.index(name) for name in ("wait", "silent", "skip") if batch.masks[0, a, own.index(name)]]
            batch.actions[:, a] = (quiet or np.flatnonzero(batch.masks[0, a]))[0]
    assert not names, f"{names} do not act"
    batch.step()
    return batch.record()


def until(batch, agent, chosen=None):
    """Steps until an agent is asked in the rooms or the phase changes; the others wait."""
    s = step(batch, chosen)
    while s.phase == ROOMS and not batch.over()[0] and not batch.acting[0, agent]:
        s = step(batch)
    return s


def finish(batch, crew="random", imposter="random", seed=0):
    """Play to the end, each side by a policy; the shares of games won by the imposter, by ejection, by tasks."""
    sides = dict.fromkeys((crew, imposter))
    kit.finish(batch, *sides, second=lambda: batch.records["roles"] == IMPOSTER, seed=seed)
    return np.array([(batch.records["outcome"] == end).mean() for end in (KILLING, EJECTION, TASKS)])


def agrees(shares, games, expected, of, errors):
    """Whether shares of one number of games fit those of another number."""
    expected = np.array(expected)
    likely = (shares * games + expected * of) / (games + of)
    error = np.sqrt(likely * (1 - likely) * (1 / games + 1 / of))
    return (np.abs(shares - expected) <= errors * error + 0.0005).all()  # reported with three digits


@pytest.mark.parametrize("row", RANDOM_PLAY)
@pytest.mark.mostly_slow
def test_random_play_is_that_of_the_source(row):
    params, reported, source = RANDOM_PLAY[row]
    shares, games = finish(started(20_000, seed=1, **QUICK, **params)), 20_000
    assert agrees(shares, games, source, 20_000, 3.7)
    assert agrees(shares, games, reported, 400, 3.0)  # of 27 numbers; 95 % together


def test_task_first_against_eager_is_that_of_the_source():
    shares = finish(started(20_000, seed=2, **QUICK), "task_first", "eager")
    assert agrees(shares, 20_000, EAGER[1], 20_000, 3.7) and agrees(shares, 20_000, EAGER[0], 400, 3.0)


def test_walks_tasks_and_waiting_take_their_time():
    batch = started(level=level(0, "ABCD"))
    s = batch.record()
    assert s.clock == 0 and batch.acting.all() and s.room.tolist() == [0] * 5
    assert legal(batch, 1) == {"wait", "do task", "go east", "go south"}
    assert legal(batch, 0) == {"wait", "go east", "go south"}
    # One is asked again five ticks after it was asked to walk or to work, three after it was to wait.
    s = until(batch, 1, {1: "go east", 2: "do task"})
    assert s.clock == 5 and s.room[1] == 1 and s.done[2].tolist() == [1, 0, 0, 0] and batch.acting[0, 2]
    assert batch.observations["tasks"][0, 2].tolist() == [-1, 1, 2, 3]
    assert legal(batch, 1) == {"wait", "do task", "go west", "go south"}
    batch = started(level=level(0, "ABCD"), duration=7, cooldown=0)
    s = step(batch, dict.fromkeys((1, 2, 3), "do task"))
    assert s.clock == 3 and np.flatnonzero(batch.acting[0]).tolist() == [0, 4]
    while not batch.acting[0, 2]:
        step(batch)
    assert s.clock == 9  # duration + 2


def test_waiting_ends_with_news():
    batch = started(level=level(0, "ABCD"), cooldown=0)
    # All leave but players 3 and 4, who see the others leaving in the first tick and are asked at once.
    s = step(batch, {0: "go east", 1: "go south", 2: "go south"})
    assert s.clock == 1 and np.flatnonzero(batch.acting[0]).tolist() == [3, 4]
    assert batch.observations["sight"][0, 3].tolist() == [LEAVING, LEAVING, LEAVING, UNSEEN, HERE]
    assert batch.observations["via"][0, 3].tolist() == [1, 2, 2, -1, -1]
    s = step(batch)  # nothing new: they have waited in vain
    assert s.clock == 4
    # A waiting imposter is asked at every tick while it cools down.
    batch = started(level=level(0, "ABCD"), cooldown=5)
    step(batch, dict.fromkeys(range(1, 5), "do task"))
    assert batch.record().clock == 1 and batch.acting[0].tolist() == [1, 0, 0, 0, 0]
    for tick in range(2, 6):
        assert step(batch).clock == tick and batch.observations["cooldown"][0, 0, 0] == 5 - tick
        assert any(name.startswith("kill") for name in legal(batch, 0)) == (tick == 5)


def test_a_kill_and_who_sees_it():
    batch = started(level=level(0, "AAAA"), cooldown=0)
    # At the same tick: 1 leaves and is killed; 2 waits and sees it; 3 starts to work and does not; 4 leaves.
    s = step(batch, {0: "kill player_1", 1: "go east", 3: "do task", 4: "go south"})
    assert s.alive.tolist() == [1, 0, 1, 1, 1] and s.room.tolist() == [0, 0, 0, 0, 2]
    assert s.witnessed[:, 0].tolist() == [0, 1, 1, 0, 0]
    alive = batch.observations["alive"][0, :, 1]
    assert alive.tolist() == [0, 0, 0, 1, 1]  # who has not seen it does not know
    assert batch.observations["sight"][0, 2].tolist() == [HERE, BODY, UNSEEN, HERE, LEAVING]
    # The imposter is asked again at once; without cooldown it may kill again, but no bodies and nobody out of sight.
    assert batch.acting[0].tolist() == [1, 0, 1, 0, 0]
    assert {name for name in legal(batch, 0) if "player" in name} == {f"kill player_{k}" for k in (2, 3, 4)}
    assert "report player_1" in legal(batch, 2) and not any("report" in name for name in legal(batch, 0))
    # Who is on the way can be killed from both sides, and lies where the imposter is.
    s = step(batch, {0: "kill player_4", 2: "wait"})
    assert s.alive.tolist() == [1, 0, 1, 1, 0] and s.room[4] == 0 and s.witnessed[2, 0]
    # The third kill leaves one of the crew: it is over before a report is heard.
    s = step(batch, {0: "kill player_3", 2: "report player_1"})
    assert s.outcome == KILLING and batch.over()[0] and batch.rewards[0].tolist() == [1, -1, -1, -1, -1]
    assert (batch.observations["roles"][0] == [1, 0, 0, 0, 0]).all() and s.day == 1


def test_a_walker_sees_the_kill_where_it_is_going():
    batch = started(level=level(0, "BBBB"), cooldown=0)
    s = step(batch, {0: "go east", 1: "go east", 2: "go south", 3: "go south", 4: "go south"})
    assert s.room.tolist() == [1, 1, 2, 2, 2] and s.clock == 5
    step(batch, {2: "go east", 1: "go south", 3: "go north"})  # two of them walk to room D, one to A
    while not {"kill player_1", "wait"} <= legal(batch, 0):
        step(batch)
    assert batch.observations["sight"][0, 0].tolist() == [UNSEEN, LEAVING, UNSEEN, UNSEEN, UNSEEN]
    # The victim is at the door; those who walk elsewhere do not see it, nor does who is left behind.
    s = step(batch, {0: "kill player_1"})
    assert s.room[1] == 1 and s.witnessed[:, 0].tolist() == [0, 1, 0, 0, 0]
    # One who is on the way to the imposter's room does.
    batch = started(level=level(0, "BBBB"), cooldown=0)
    step(batch, {0: "go east", 1: "go east"})
    while not batch.acting[0, 0]:
        step(batch)
    step(batch, {2: "go east"} if batch.acting[0, 2] else None)
    while not (batch.acting[0, 0] and batch.observations["sight"][0, 0, 2] == COMING):
        step(batch, {2: "go east"} if batch.acting[0, 2] and batch.record().room[2] == 0 else None)
    assert batch.observations["via"][0, 0, 2] == 0 and not batch.acting[0, 2]
    s = step(batch, {0: "kill player_1"})
    assert s.witnessed[:, 0].tolist() == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("width, height", [(1, 3), (3, 2)])
def test_rooms_are_joined(width, height):
    """Each room to those north, west, east and south of it; all start in the middle room of the north side."""
    rooms = width * height
    batch = started(4 * rooms, width=width, height=height)
    s, middle = batch.records, (width - 1) // 2
    assert (s["room"] == middle).all()
    s["room"][:, 1] = s["origin"][:, 1] = np.repeat(np.arange(rooms), 4)  # a world for each direction from it
    batch.observe()
    batch.actions[:] = 2
    expected = []
    for i in range(batch.num):
        room, direction = divmod(i, 4)
        x, y = room % width, room // width
        dx, dy = ((0, -1), (-1, 0), (1, 0), (0, 1))[direction]
        there = 0 <= x + dx < width and 0 <= y + dy < height
        assert batch.masks[i, 1, 4 + direction] == there
        expected.append((y + dy) * width + x + dx if there else room)
        batch.actions[i, 1] = 4 + direction if there else 2
    batch.step()
    assert s["room"][:, 1].tolist() == expected and (s["origin"][:, 1] == np.repeat(np.arange(rooms), 4)).all()
    assert (s["room"][:, [0, 2, 3, 4]] == middle).all()


def test_roles_and_tasks_are_drawn():
    """One imposter, without tasks; each of the crew has tasks in any rooms."""
    s = started(40, tasks=3, width=3).records
    assert ((s["roles"] == IMPOSTER).sum(axis=1) == 1).all()
    tasks = s["tasks"][s["roles"] == CREW]
    assert (s["tasks"][s["roles"] == IMPOSTER] == -1).all() and set(np.unique(tasks)) == set(range(6))
    assert set(s["roles"].argmax(axis=1)) == set(range(5)) and not s["done"].any()


def test_tasks_of_a_room_are_done_one_by_one():
    batch = started(level=level(0, "ABAA"))
    for k, left in enumerate(([-1, 1, 0, 0], [-1, 1, -1, 0], [-1, 1, -1, -1])):
        assert "do task" in legal(batch, 2)
        s = until(batch, 2, {2: "do task"})
        assert s.clock == 5 * k + 5 and batch.observations["tasks"][0, 2].tolist() == left
    assert "do task" not in legal(batch, 2) and s.outcome == UNDECIDED


def test_the_last_task_wins():
    batch = started(level={"imposter": 0, "tasks": [[], *(["A"] for _ in range(4))]}, tasks=1)
    s = until(batch, 1, dict.fromkeys((1, 2, 3), "do task"))
    assert s.done.sum() == 3 and s.outcome == UNDECIDED and not batch.over()[0]
    while not batch.acting[0, 4]:
        step(batch)
    until(batch, 4, {4: "do task"})
    assert s.outcome == TASKS and batch.over()[0] and batch.rewards[0].tolist() == [-1, 1, 1, 1, 1]


def test_where_and_when_players_were_last_seen():
    """All see each other at the start. A player that leaves is in sight until it arrives; a walker sees nothing."""
    batch = started(level=level(0, "ABCD"), cooldown=0)
    everyone = np.arange(5)
    for part, value in (("seen", 0), ("seen_at", 0), ("sight", HERE), ("via", -1)):
        for a in range(5):
            mine = -1 if part in ("seen", "seen_at", "via") else UNSEEN  # nobody sees itself
            assert batch.observations[part][0, a].tolist() == np.where(everyone == a, mine, value).tolist()
    step(batch, {1: "go south"})
    s = until(batch, 1)
    assert s.clock == 5 and s.room[1] == 2
    assert batch.observations["seen"][0, 3].tolist() == [0, 0, 0, -1, 0]
    assert batch.observations["seen_at"][0, 3].tolist() == [5, 4, 5, -1, 5]  # others are in sight still
    assert batch.observations["sight"][0, 1].tolist() == [UNSEEN] * 5
    assert batch.observations["seen_at"][0, 1].tolist() == [0, -1, 0, 0, 0]
    s = until(batch, 3, {3: "go south"} if batch.acting[0, 3] else None)
    assert (s.lives == 1).all() and not s.witnessed.any()


def test_a_reporter_that_is_killed_calls_no_meeting():
    """The page: a report is made after the kill of the tick; it pays nothing to the dead."""
    for killed, phase in ((2, ROOMS), (3, SURVEY)):
        batch = started(level=level(0, "BBBB"), cooldown=0, shaping=0.25)
        step(batch, {0: "kill player_1"})
        s = step(batch, {0: f"kill player_{killed}", 2: "report player_1"})
        assert s.phase == phase and s.alive[killed] == 0 and (s.reports[0, 0] == 2) == (phase == SURVEY)
        assert batch.rewards[0].tolist() == [0.25, 0, 0.25 * (phase == SURVEY), 0, 0]


def test_a_second_meeting_in_another_room():
    """Each meeting has its own row of reports, votes and ejections."""
    batch = started(level=level(0, "BCDD"), cooldown=0, survey=False, discussion=1, players=5)
    step(batch, {0: "kill player_1"})
    s = step(batch, {2: "report player_1"})
    assert batch.observations["meeting"][0].tolist() == [[1]] * 5
    for speakers in range(4):
        assert s.phase == TALK and s.said == speakers
        step(batch)
    s = step(batch, {0: "vote for player_3", 2: "vote for player_3"})
    assert s.phase == ROOMS and s.removed.tolist() == [-1, -1]
    assert (batch.observations["meeting"] == 2).all()
    until(batch, 0, dict.fromkeys((0, 2, 3, 4), "go south"))
    while s.room[[0, 2, 3, 4]].tolist() != s.origin[[0, 2, 3, 4]].tolist():
        step(batch)
    step(batch, {0: "kill player_2"})
    while "report player_2" not in legal(batch, 4):
        step(batch)
    s = step(batch, {4: "report player_2"})
    assert batch.observations["reports"][0, 3].tolist() == [[2, 1, 0], [4, 2, 2]]
    assert batch.observations["tallies"][0, 3].tolist() == [[0, 0, 0, 2, 0, 2], [0] * 6]


def called(imposter=0, victim=1, reporter=2, seed=0, **params):
    """A meeting over a body in room A, where all are."""
    batch = started(seed=seed, level=level(imposter, "BCDD"), **{"cooldown": 0, **params})
    step(batch, {imposter: f"kill player_{victim}"})
    step(batch, {reporter: f"report player_{victim}"})
    return batch


def talked(batch):
    """Go on to the vote, with nothing said."""
    while batch.record().phase != VOTE:
        step(batch)
    return batch


def test_a_meeting():
    batch = called()
    s = batch.record()
    assert s.phase == SURVEY and s.reports[0].tolist() == [2, 1, 0] and (s.lives[:, 1] == 0).all()
    assert batch.acting[0].tolist() == [1, 0, 1, 1, 1] and s.room[1] == -1
    assert legal(batch, 2) == {f"suspect player_{k}" for k in (0, 3, 4)}
    assert batch.observations["roles"][0, 3].tolist() == [-1, 0, -1, 0, -1]  # the dead were crew
    # Four who live speak eight times, twice each, and are asked for beliefs nine times.
    speakers, surveys = [], 0
    while s.phase != VOTE:
        surveys += s.phase == SURVEY
        if s.phase == TALK:
            assert batch.acting[0].sum() == 1 and batch.acting[0, s.speaker]
            speakers.append(int(s.speaker))
        step(batch)
    assert surveys == 9 and speakers[:4] == speakers[4:] and sorted(speakers[:4]) == [0, 2, 3, 4]
    assert legal(batch, 3) == {"skip", *(f"vote for player_{k}" for k in (0, 2, 3, 4))}
    # The crew wins by an ejection; the votes are secret, their numbers are not.
    s = step(batch, {0: "vote for player_2", 2: "vote for player_0", 3: "vote for player_0", 4: "vote for player_4"})
    assert batch.world.scene(s).shapes  # a ring around the one who votes for itself
    assert s.outcome == EJECTION and batch.rewards[0].tolist() == [-1, 1, 1, 1, 1]
    assert (batch.observations["tallies"][0] == [[2, 0, 1, 0, 1, 0], [0] * 6]).all()
    assert s.removed.tolist() == [0, -1]


@pytest.mark.parametrize(
    "votes, out",
    [
        (("skip", "skip", "skip", "skip"), -1),
        (("vote for player_0", "vote for player_0", "skip", "skip"), -1),  # a tie with skip
        (("vote for player_0", "vote for player_4", "vote for player_0", "vote for player_4"), -1),
        (("skip", "vote for player_3", "vote for player_3", "vote for player_2"), 3),  # itself, too
        (("skip", "skip", "skip", "vote for player_0"), -1),
    ],
)
def test_votes(votes, out):
    batch = talked(called())
    s = step(batch, dict(zip((0, 2, 3, 4), votes)))
    assert s.removed[0] == out
    if out < 0:
        # All who live are in the first room again, free, and the imposter cools down.
        assert s.phase == ROOMS and s.day == 2 and s.room.tolist() == [0, -1, 0, 0, 0]
        assert s.sight[2].tolist() == [HERE, UNSEEN, UNSEEN, HERE, HERE]


def test_after_a_meeting_all_start_anew():
    batch = started(level=level(0, "BBBB"))
    step(batch, dict.fromkeys((1, 2), "go east") | dict.fromkeys((3, 4), "go south"))
    for _ in range(4):
        step(batch)
    while "kill player_3" not in legal(batch, 0) and batch.record().clock < 60:
        step(batch, {a: "go north" for a in (3, 4) if "go north" in legal(batch, a)})
    step(batch, {0: "kill player_3"})
    s = batch.record()
    while s.phase == ROOMS:
        step(batch, {4: "report player_3"} if "report player_3" in legal(batch, 4) else None)
    s = step(talked(batch))
    assert s.phase == ROOMS and s.cooldown == 5 and batch.acting[0].tolist() == [1, 1, 1, 0, 1]
    assert s.room.tolist() == [0, 0, 0, -1, 0] and (s.activity == 0).all() and not s.timer.any()
    assert not any("kill" in name for name in legal(batch, 0))


def test_tasks_of_the_living_win():
    for cooldown, outcome in ((50, UNDECIDED), (0, TASKS)):
        batch = started(level=level(4, "AAAA", "AAAA", "AAAA", "BBBB", ""), cooldown=cooldown)
        s = step(batch, {} if cooldown else {4: "kill player_3", **dict.fromkeys((0, 1, 2), "do task")})
        while s.done[:3].sum() < 12:
            assert s.outcome == UNDECIDED
            s = step(batch, {a: "do task" for a in (0, 1, 2) if batch.acting[0, a]})
        assert s.outcome == outcome and s.done[3].sum() == 0
    # The one who had not done its tasks is dead: its team has won all the same.
    assert batch.over()[0] and s.clock == 20 and batch.rewards[0].tolist() == [1, 1, 1, 1, -1]


def test_time_is_up():
    batch = started(ticks=20)
    while not batch.over()[0]:
        step(batch)
    assert batch.record().clock == 20 and batch.truncations.all() and not batch.terminations.any()
    assert not batch.rewards.any()


def test_beliefs_reward_the_speaker():
    batch = called(speaking=0.5)
    s = batch.record()
    suspects = [{2: 3, 3: 2, 4: 2}, {2: 0, 3: 0, 4: 2}, {2: 3, 3: 0, 4: 2}, {2: 0, 3: 0, 4: 0}]
    pooled, seen = None, set()
    for beliefs in suspects:
        beliefs = {0: 2, **beliefs}  # the imposter is asked as well, and does not count
        last = int(s.messages[s.said - 1, 0]) if s.said else -1
        step(batch, {a: f"suspect player_{b}" for a, b in beliefs.items()})
        assert s.beliefs.tolist() == [2, -1, beliefs[2], beliefs[3], beliefs[4]]
        count = sum(b == 0 for b in beliefs.values())
        expected = np.zeros(5)
        if pooled is not None:
            expected[last] = 0.5 * (count - pooled) * (-1 if last == 0 else 1)
            seen.add(last == 0)
        assert batch.rewards[0].tolist() == expected.tolist()
        pooled = count
        step(batch)
        assert not batch.rewards.any()
    # In a new meeting the first survey is what the next are compared to.
    while s.phase != VOTE:
        step(batch)
    step(batch)
    step(batch, {0: "kill player_2"})
    step(batch, {3: "report player_2"})
    step(batch, dict.fromkeys((3, 4), "suspect player_0"))
    assert not batch.rewards.any()


def test_beliefs_reward_the_imposter_for_less():
    for seed in range(20):
        batch = called(speaking=1.0, seed=seed)
        step(batch, dict.fromkeys((2, 3, 4), "suspect player_0"))
        if batch.record().speaker == 0:
            step(batch, {0: "accuse player_2"})
            step(batch, {2: "suspect player_0", 3: "suspect player_2", 4: "suspect player_2"})
            assert batch.rewards[0].tolist() == [2, 0, 0, 0, 0]
            return
    raise AssertionError("the imposter never spoke first")


def test_shaping():
    batch = started(level=level(0, "AAAA"), cooldown=0, shaping=0.25)
    step(batch, {0: "kill player_1", 2: "wait", 3: "do task"})
    assert batch.rewards[0].tolist() == [0.25, 0, 0, 0, 0]
    total = np.zeros(5)
    while batch.record().done[3].sum() == 0:
        step(batch)
        total += batch.rewards[0]
    assert total.tolist() == [0, 0, 0, 0.25, 0]
    while "report player_1" not in legal(batch, 3):
        step(batch)
    step(batch, {3: "report player_1"})
    assert batch.rewards[0].tolist() == [0, 0, 0, 0.25, 0]
    step(talked(batch), {0: "vote for player_0", 3: "vote for player_0", 4: "vote for player_2"})
    assert batch.rewards[0].tolist() == [-1, 1, 1, 1.25, 1]


def test_talk():
    batch = called()
    s = batch.record()
    step(batch)
    speech = {0: "accuse player_2", 2: "saw player_0 kill", 3: "saw player_3 in B", 4: "defend player_0"}
    while s.said < 4:
        step(batch, {int(s.speaker): speech[int(s.speaker)]} if s.phase == TALK else None)
    said = {tuple(message) for message in batch.observations["messages"][0, 3][:4].tolist()}
    assert said == {(0, 1, 2), (2, 3, 0), (3, 5, 3), (4, 2, 0)}
    text = batch.world.text(s, 4)
    for words in (
        "player_0 accuses player_2.",
        "player_2 saw player_0 kill.",
        "player_3 was in B.",
        "defends player_0",
    ):
        assert words in text
    assert "player_2 found player_1 dead in room A" in text


@pytest.mark.parametrize("params", [dict(survey=False), dict(width=3, discussion=1)])
def test_what_can_be_said(params):
    """The table of actions: of others that are alive, and of all where they were seen; one tick for each step."""
    batch = called(**params)
    s, clock = batch.record(), batch.record().clock
    rooms = [chr(ord("A") + k) for k in range(s.params.width * s.params.height)]
    while s.phase != VOTE:
        assert s.clock == clock
        if s.phase == TALK:
            others = {0, 2, 3, 4} - {int(s.speaker)}
            expected = {"silent", *(f"saw player_{k} in {room}" for k in range(5) for room in rooms)}
            for k in others:
                expected |= {f"accuse player_{k}", f"defend player_{k}", f"saw player_{k} kill"}
            assert legal(batch) == expected and batch.acting[0].sum() == 1
        step(batch)
        clock += 1
    step(batch)
    assert s.clock == clock + 1 and s.phase == ROOMS


def test_who_knows_what():
    """What one of the crew sees and reads is the same whoever else is the imposter, until it sees a kill."""
    tasks = ["ABCD"] * 5
    batches = [started(level=level(imposter, *tasks), seed=4, cooldown=20) for imposter in (0, 4)]
    policy = make_policy("random", batches[0].world)
    policy.reset(3, 1)
    for _ in range(12):
        seen = [batch.observations[0, 2].tobytes() for batch in batches]
        assert seen[0] == seen[1]
        assert batches[0].world.text(batches[0].record(), 2) == batches[1].world.text(batches[1].record(), 2)
        scenes = [repr(batch.world.scene(batch.record(), 2).shapes) for batch in batches]
        assert scenes[0] == scenes[1]
        for batch in batches:  # all wander or wait alike; the imposter cools down and does as the others
            batch.actions[:] = 2
            for a in np.flatnonzero(batch.acting[0]):
                batch.actions[:, a] = 4 + (batch.record().clock + a) % 4
                if not batch.masks[0, a, batch.actions[0, a]]:
                    batch.actions[:, a] = np.flatnonzero(batch.masks[0, a, 4:8])[0] + 4
            batch.step()


def test_random_games_keep_the_rules():
    batch, rng = started(48, seed=9), np.random.default_rng(0)
    spaces = batch.world.observation_spaces
    ends, kinds = 0, set()
    while ends < 120:
        before = batch.records.copy()
        batch.step(random_actions(batch.masks, rng))
        for i in range(48):
            old, new = before[i], batch.records[i]
            lost = np.flatnonzero(old["alive"] != new["alive"])
            assert len(lost) <= 1 and (old["phase"] in (ROOMS, VOTE) or not len(lost))
            crew, imposter = (new["alive"] * (new["roles"] == role) for role in (CREW, IMPOSTER))
            left = (new["done"] == 0)[crew.astype(bool)].sum()
            outcome = (
                EJECTION if not imposter.any() else KILLING if crew.sum() == 1 else TASKS if not left else UNDECIDED
            )
            assert new["outcome"] == outcome and batch.over()[i] == (outcome != UNDECIDED or new["clock"] >= 300)
            assert (new["done"] >= old["done"]).all() and (new["done"] - old["done"]).sum() <= 4
            if outcome != UNDECIDED:
                ends += 1
                kinds.add(outcome)
                won = np.where((new["roles"] == IMPOSTER) == (outcome == KILLING), 1, -1)
                assert batch.rewards[i].tolist() == won.tolist()
            elif not batch.over()[i]:
                assert not batch.rewards[i].any() and batch.acting[i].any()
                bodies = (new["alive"] == 0) & (new["room"] >= 0)
                assert new["phase"] == ROOMS or not bodies.any()
                if new["phase"] == ROOMS:
                    steps = np.abs(new["room"] % 2 - new["origin"] % 2) + np.abs(new["room"] // 2 - new["origin"] // 2)
                    assert (steps[new["room"] >= 0] <= 1).all() and (new["asked"] == batch.acting[i]).all()
        if ends % 10 == 0:
            for a in range(5):
                assert spaces[a].contains({name: batch.observations[0, a][name] for name in spaces[a]})
        batch.start(where=batch.over())
    assert KILLING in kinds and EJECTION in kinds


def test_levels_and_parameters():
    batch = started(level=level(3, "ABCD", "DDDD", "AAAA", "", "BBCC"))
    s = batch.record()
    assert s.roles.tolist() == [0, 0, 0, 1, 0] and s.tasks[1].tolist() == [3] * 4 and s.tasks[3].tolist() == [-1] * 4
    assert batch.world.get_level(s) == level(3, "ABCD", "DDDD", "AAAA", "", "BBCC")
    for wrong, words in (
        ({"imposter": 5, "tasks": []}, "imposter=5 must be an integer from 0 to 4"),
        ({"imposter": 0}, "has .imposter. and .tasks., not .imposter."),
        ({"imposter": 0, "tasks": [[]] * 4}, "tasks must be a list of 5 entries"),
        (level(0, "ABC"), "tasks of player_1 must be a list of 4 entries"),
        (level(0, "ABCE"), "room='E' is unknown"),
    ):
        with pytest.raises(LevelError, match=words):
            batch.set_level(0, wrong)
    with pytest.raises(ParameterError, match="two rooms at least"):
        AmongUs(width=1, height=1)
    # Roles and rooms are drawn evenly.
    records = started(4000).records
    imposters = (records["roles"] == IMPOSTER).mean(axis=0)
    assert np.abs(imposters - 0.2).max() < 4.5 * (0.2 * 0.8 / 4000) ** 0.5
    rooms = records["tasks"][records["tasks"] >= 0]
    assert len(rooms) == 4000 * 16
    for room in range(4):
        assert abs((rooms == room).mean() - 0.25) < 4.5 * (0.25 * 0.75 / len(rooms)) ** 0.5


def test_illegal_acts():
    batch = started(level=level(0, "AAAA"))
    before = batch.records.tobytes()
    for agent, wrong in ((0, "do task"), (0, "kill player_1"), (1, "kill player_2"), (1, "go north"), (2, "silent")):
        with pytest.raises(ActionError, match=wrong):
            step(batch, {agent: wrong})
        assert batch.records.tobytes() == before


@pytest.mark.slow
def test_baselines():
    games = 2000
    wins = {
        (crew, imposter): finish(started(games, seed=7), crew, imposter)[0]
        for crew in ("random", "task_first", "detective")
        for imposter in ("random", "eager", "detective")
    }
    # Standard errors are 0.011 at most.
    for imposter in ("random", "eager", "detective"):
        assert wins["task_first", imposter] < wins["random", imposter] - 0.03
        assert wins["detective", imposter] < wins["task_first", imposter] - 0.3
    for crew in ("random", "task_first"):
        assert wins[crew, "random"] < wins[crew, "eager"] < wins[crew, "detective"]


def test_picture():
    batch = started(level=level(0, "ABCD"), cooldown=0)
    world = batch.world
    step(batch, {0: "go east", 1: "go east", 2: "do task", 3: "do task", 4: "do task"})
    for _ in range(6):
        step(batch, {a: "do task" for a in (1, 2, 3, 4) if "do task" in legal(batch, a)})

    def places(viewer):
        return view.places(world, batch.record(), viewer)

    s = batch.record()
    assert set(places(None)) == set(range(5))
    assert len([shape for shape in world.scene(s).shapes if isinstance(shape, Circle)]) >= 5
    for agent in range(5):
        looks = s.activity[agent] <= 1
        seen = {b for b in range(5) if looks and s.sight[agent, b] != UNSEEN}
        assert set(places(agent)) == seen | {agent}
    # Clicks: into the next room, on a player to kill, and on a seat to accuse or to vote.
    batch = started(level=level(0, "ABCD"), cooldown=0)
    s = batch.record()
    names = world.action_names[0]
    assert names[world.click(s, 1, *view.room_at(world, s, 2)[:2])] == "go south"
    assert world.click(s, 1, *view.room_at(world, s, 3)[:2]) is None
    assert names[world.click(s, 0, *view.places(world, s, 0)[3])] == "kill player_3"
    assert world.click(s, 1, *view.places(world, s, 1)[3]) is None
    batch = talked(called())
    shapes = world.scene(batch.record()).shapes
    seats = {shape.text: (shape.x, shape.y) for shape in shapes if getattr(shape, "size", 0) == 0.62}
    assert names[world.click(batch.record(), 2, *seats["3"])] == "vote for player_3"
