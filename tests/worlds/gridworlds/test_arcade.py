"""MinAtar's five games: its own games step by step, rules by example, baselines, the bounds of lists."""

import json

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.gridworlds.asterix import ENEMY, GOLD, NOTHING
from envsuite.gridworlds.seaquest import BOARD, FIRES, MOVES, OXYGEN, SHOT
from envsuite.kit.arcade import ACTIONS, DOWN, FIRE, LEFT, NOOP, RIGHT, UP

GAMES = json.loads((kit.DATA / "minatar.json").read_text())["games"]

#: What an episode of the recording reaches at least: its sum of rewards.
REACHED = {"Asterix": 50, "Breakout": 60, "Freeway": 50, "Seaquest": 50, "SpaceInvaders": 48}


def started(name, **params):
    """One game without actions that stick."""
    return kit.started(f"envsuite/{name}-v0", **{"sticky": 0.0, **params})


def put(batch, **values):
    """The batch after fields of its record have been set."""
    for name, value in values.items():
        batch.records[name][0] = value
    return batch


@pytest.mark.parametrize("name", GAMES)
def test_minatar(name):
    """Planes, rewards and ends of the recorded episodes, all at once."""
    episodes = GAMES[name]
    batch = kit.started(f"envsuite/{name}-v0", len(episodes))
    batch.records["params"]["sticky"] = [episode["sticky"] for episode in episodes]
    longest = max(len(episode["actions"]) for episode in episodes)
    for t in range(longest + 1):
        for k, episode in enumerate(episodes):
            if t <= len(episode["actions"]):
                assert kit.checksum(batch.observations[k, 0]) == episode["boards"][4 * t : 4 * t + 4], (k, t)
        going = np.array([t < len(episode["actions"]) for episode in episodes])
        if going.any():
            batch.step(np.array([int(e["actions"][t]) if go else 0 for e, go in zip(episodes, going)])[:, None], going)
            for k in np.flatnonzero(going):
                last = t == len(episodes[k]["actions"]) - 1
                assert batch.rewards[k, 0] == episodes[k]["rewards"][t], (k, t)
                assert batch.records["terminated"][k, 0] == (last and episodes[k]["terminal"]), (k, t)
    assert max(sum(episode["rewards"]) for episode in episodes) >= REACHED[name]
    if name == "Seaquest":
        assert max(max(episode["rewards"]) for episode in episodes) > 1  # six divers were rescued


@pytest.mark.parametrize("name, weak, strong, least", [
    ("Asterix", "greedy", "gatherer", 15),
    ("Breakout", "follower", "catcher", 14),
    ("Freeway", "up", "careful", 60),
    ("Seaquest", "gunner", "hunter", 15),
    ("SpaceInvaders", "fire", "gunner", 35),
])  # fmt: skip
@pytest.mark.mostly_slow
def test_baselines(name, weak, strong, least):
    """The strong baseline earns far more than the weak one, and this more than random play."""
    means = [play(f"envsuite/{name}-v0", policy, 64).returns.mean() for policy in ("random", weak, strong)]
    assert means[0] < means[1] < means[2] and means[2] > least


@pytest.mark.parametrize("name", GAMES)
def test_sticky(name):
    """With `sticky` 1 no action is carried out; with 0 all are."""
    batch = kit.started(f"envsuite/{name}-v0", sticky=1.0)
    for action in (LEFT, UP, FIRE):
        batch.step(action)
        assert batch.records["last_action"][0] == NOOP
    batch = started(name)
    for action in (LEFT, DOWN):
        batch.step(action)
        assert batch.records["last_action"][0] == action


@pytest.mark.parametrize("name", GAMES)
def test_horizon(name):
    """Freeway ends at its horizon, the others are truncated."""
    batch = started(name, horizon=5)
    for _ in range(5):
        assert not batch.over()[0]
        batch.step(NOOP)
    ended = "terminated" if name == "Freeway" else "truncated"
    assert batch.records[ended][0, 0] == 1 and batch.records["terminated"][0, 0] == (name == "Freeway")


def test_breakout():
    """The corner of the paddle turns the ball around, a struck ball does not strike again, and bricks come back."""
    batch = put(started("Breakout"), ball=(4, 8), across=1, down=1, paddle=5)
    batch.step(NOOP)
    assert [batch.records[n][0].tolist() for n in ("ball", "across", "down")] == [[5, 8], -1, -1]
    batch = put(started("Breakout"), ball=(4, 8), across=1, down=1, paddle=4)
    batch.step(NOOP)
    assert [batch.records[n][0].tolist() for n in ("ball", "across", "down")] == [[5, 8], 1, -1]
    batch = put(started("Breakout"), ball=(4, 4), across=1, down=-1, struck=1)
    batch.step(NOOP)
    assert batch.rewards[0, 0] == 0 and batch.records["ball"][0].tolist() == [5, 3]
    assert batch.records["bricks"][0].all()
    batch = put(started("Breakout"), ball=(4, 8), across=1, down=1, paddle=4, bricks=0)
    batch.step(NOOP)
    assert batch.records["bricks"][0].all()


def test_freeway():
    """A crossing takes 25 steps where no car comes: three to begin with, and three for each row but the last."""
    batch, steps = put(started("Freeway"), place=9, speed=5, wait=5), 0
    crossings = []
    while len(crossings) < 2:
        batch.records["place"][0], batch.records["wait"][0] = 9, 5
        batch.step(UP)
        steps += 1
        if batch.rewards[0, 0]:
            crossings.append(steps)
    assert crossings == [28, 55]


def test_asterix():
    """Gold is picked up, an enemy ends the game, full rows get nothing new."""
    for kind, reward in ((GOLD, 1), (ENEMY, 0)):
        batch = put(started("Asterix"), x=5, y=5)
        batch.records["kind"][0, 4], batch.records["place"][0, 4] = kind, 6
        batch.step(RIGHT)
        assert batch.rewards[0, 0] == reward and batch.over()[0] == (kind == ENEMY)
    batch = put(started("Asterix"), kind=GOLD, place=0, right=1, spawn_timer=0)
    batch.step(NOOP)
    assert (batch.records["kind"][0] == GOLD).all() and (batch.records["place"][0] == 0).all()
    batch = put(started("Asterix"), kind=NOTHING, spawn_timer=0)
    batch.step(NOOP)
    assert (batch.records["kind"][0] != NOTHING).sum() == 1


def test_asterix_ramps():
    """Things come one step earlier after every 102 steps, and move earlier every second time."""
    batch = started("Asterix", horizon=3000)
    changes = []
    for t in range(1, 1300):
        batch.records["kind"][0] = NOTHING
        before = (int(batch.records["spawn_every"][0]), int(batch.records["move_every"][0]))
        batch.step(NOOP)
        after = (int(batch.records["spawn_every"][0]), int(batch.records["move_every"][0]))
        if before != after:
            changes.append((t, *after))
    assert changes[:3] == [(102, 9, 5), (204, 8, 4), (306, 7, 4)]
    assert changes[-1][1:] == (1, 1) and len(changes) == 9


def test_space_invaders():
    """A wave that is gone is followed by a faster one; the nearest column shoots, of two the left one."""
    batch = put(started("SpaceInvaders"), aliens=0, shots=0)
    batch.records["aliens"][0, 3], batch.records["shots"][0, 4] = 1 << 5, 1 << 5
    batch.step(NOOP)
    assert batch.rewards[0, 0] == 1 and batch.records["move_every"][0] == 11
    assert sum(int(row).bit_count() for row in batch.records["aliens"][0]) == 24
    batch = put(started("SpaceInvaders"), aliens=0, cannon=5, bomb_timer=0)
    batch.records["aliens"][0, 2:4] = 1 << 4 | 1 << 6
    batch.step(NOOP)
    assert batch.records["bombs"][0].tolist() == [0, 0, 0, 1 << 4, 0, 0, 0, 0, 0, 0]
    batch = put(started("SpaceInvaders"), aliens=0, move_timer=0)
    batch.records["aliens"][0, 9] = 1  # they move to the left and are at the edge
    batch.step(NOOP)
    assert batch.over()[0]


def test_seaquest_surface():
    """One diver is left at the surface, seven of six; the oxygen is paid; without a diver the game ends."""
    for divers, left, reward in ((1, 0, 0), (6, -1, 5), (-1, -2, 0)):
        batch = put(started("Seaquest"), y=1, at_surface=0, oxygen=100, divers=divers)
        batch.step(UP)
        assert (batch.records["divers"][0], batch.rewards[0, 0], batch.over()[0]) == (left, reward, False)
        assert batch.records["oxygen"][0] == OXYGEN and batch.records["spawn_every"][0] == 19
    batch = put(started("Seaquest"), y=1, at_surface=0, divers=0)
    batch.step(UP)
    assert batch.over()[0]
    batch = put(started("Seaquest"), y=4, oxygen=1)
    batch.step(NOOP)
    assert not batch.over()[0]
    batch.step(NOOP)
    assert batch.over()[0]


def test_seaquest_shots():
    """A shot hits the first fish of its cell, and a seventh diver does not come on board."""
    batch = put(started("Seaquest"), x=4, y=4, right=1, at_surface=0, fish_count=2)
    batch.records["fish"][0, :2] = [[5, 4, 0, 5, 0], [5, 4, 0, 3, 0]]
    batch.step(FIRE)
    assert batch.rewards[0, 0] == 1 and batch.records["fish_count"][0] == 1
    assert batch.records["fish"][0, 0].tolist() == [5, 4, 0, 2, 0] and not batch.records["fish"][0, 1:].any()
    batch = put(started("Seaquest"), x=4, y=4, at_surface=0, swimmers_count=1, divers=BOARD)
    batch.records["swimmers"][0, 0] = [4, 4, 1, 5, 0]
    batch.step(NOOP)
    assert batch.records["divers"][0] == BOARD and batch.records["swimmers_count"][0] == 1
    batch = put(started("Seaquest"), x=0, y=1, at_surface=0, subs_count=1)
    batch.records["subs"][0, 0] = [5, 4, 1, 5, 0]
    batch.step(NOOP)
    assert batch.records["torpedoes"][0, 0, :3].tolist() == [6, 4, 1] and batch.records["torpedoes_count"][0] == 1
    assert (batch.records["subs"][0, 0, [MOVES, FIRES]] == [4, SHOT]).all()


def test_seaquest_lists_have_room():
    """With an enemy in each step that is never shot, no list is full."""
    batch = started("Seaquest", horizon=4000)
    most = 0
    for _ in range(1500):
        put(batch, spawn_every=1, move_every=2, x=0, y=0, at_surface=1, oxygen=OXYGEN)
        batch.step(NOOP)
        most = max(
            most, *(int(batch.records[f"{name}_count"][0]) for name in ("fish", "subs", "torpedoes", "swimmers"))
        )
        assert not batch.over()[0]
    assert 8 < most < 32


def test_text_and_names():
    """Text shows the screen row by row; a record without aliens is refused."""
    batch = started("Seaquest")
    text = batch.world.text(batch.record(), 0)
    assert "0 .....@=..." in text and "9 oooooooooo" in text and "Oxygen 10 of 10" in text
    batch = put(started("SpaceInvaders"), aliens=0)
    with pytest.raises(SnapshotError, match="there is no alien"):
        batch.world.admit(batch.records)
    assert all(kit.legal(started(name)) == set(ACTIONS) for name in GAMES)
