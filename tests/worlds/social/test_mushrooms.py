"""Mushrooms: what each pays, how each grows and perishes, beams and sanctions, and who lives off whom.

Numbers of `compat="documented"` are those of the head of Melting Pot's externality_mushrooms.py, those of "reference"
and of orange mushrooms are from the configuration in the same file.
"""

import itertools

import melting_pot_play
import numpy as np
import pytest
from avatar_play import cell, hall, put, random_play, started, where
from melting_pot_play import Follower, Rules
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.schelling import schelling
from envsuite.kit.avatars import FLOOR, LIT, PLAYER, WALL
from envsuite.social.mushrooms import BLUE, CODES, GREEN, HEIGHT, ORANGE, RED, WIDTH, Mushrooms

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP = range(8)
EAST, SOUTH, WEST, NORTH = range(4)
LETTERS = {RED: "r", GREEN: "g", BLUE: "b", ORANGE: "o"}


def room(**things):
    """A level of one bare room."""
    return hall(WIDTH, HEIGHT, **things)


def play(num=1, level=None, *, grow=True, players=2, **parameters):
    """Worlds of two agents, far from (5, 5) and facing east, with spores or without."""
    batch = started(Mushrooms(players=players, end_probability=0.0, **parameters), num, level or room())
    if not grow:
        batch.records["params"]["chances"] = 0.0
    for a in range(players):
        put(batch, a, 14 + a, 11, EAST)
    return batch


def codes(batch):
    """(N, HEIGHT, WIDTH) what is on the map, without beams and agents."""
    found = batch.world.state(batch.records, batch.observations) & (LIT - 1)
    found[found >= PLAYER] = FLOOR
    return found


def counts(batch):
    """(N, 4) how many red, green, blue and orange mushrooms there are."""
    return np.stack([(codes(batch) == code).sum(axis=(1, 2)) for code in (RED, GREEN, BLUE, ORANGE)], axis=1)


# Melting Pot.


def insert(s, at, letter):
    """Let a mushroom grow on the map of a record; an agent that has come to stand there eats it, see `settle`."""
    code, kind = int(s["cells"][at]) & LIT - 1, "rgbo".index(letter)
    if code == FLOOR:
        s["cells"][at] += CODES[kind] - FLOOR
        s["due"][at] = s["t"] + s["params"]["lifetime"][kind] + 1
        s["soonest"] = min(s["soonest"], s["due"][at])
    return code == FLOOR or code >= PLAYER


def eaten_unseen(follower, before, frame):
    """Mushrooms that may have grown where agents came to stand, and were eaten; that pays somebody.

    Green and orange ones pay all alike, so who has eaten is seen by who then stands still.
    """
    digestion, meals = follower.batch.records["params"]["digestion"][0].tolist(), []
    for a, (old, new) in enumerate(zip(before["g"], frame["g"])):
        if new and (old is None or old[:2] != new[:2]) and follower.old[k := WIDTH * new[1] + new[0]] == ".":
            for letter, steps in zip("rgbo", digestion):
                if all(later["g"][a] in (new, None) for later in follower.frames[follower.t : follower.t + steps]):
                    meals.append((k, letter))
    for count in range(1, len(frame["g"]) + 1 if "r" in frame else 1):
        for chosen in itertools.combinations(meals, count):
            if len(dict(chosen)) == count:
                yield list(chosen)


def stay(follower, i, frame):
    """There, who leaves after a second hit is in the way of those who walk; here it leaves a wall, see `settle`."""
    s = follower.batch.records[i]
    if i:  # which would stop beams too
        s["under"][s["hit"] > 0] = WALL


def settle(follower, i, frame):
    """What else differs there: see the page."""
    batch, s = follower.batch, follower.batch.records[i]
    for k, letter in enumerate("".join(follower.rows)):
        if letter != "#" and s["cells"][at := follower.at(k)] == WALL:
            s["cells"][at] = FLOOR
    s["cooldown"][follower.back] = s["params"]["zap_cooldown"]
    stand = {WIDTH * y + x: a for a, (x, y, _) in enumerate(g or (0, 0, 0) for g in frame["g"])}
    eaten = [(stand[k], letter) for k, letter in follower.grown if k in stand]
    for a in follower.back:
        x, y, _ = frame["g"][a]
        if (letter := follower.old[WIDTH * y + x]) != ".":
            eaten.append((a, letter))
            s["cells"][cell(batch, x, y)] = FLOOR
    for a, letter in eaten:
        kind = "rgbo".index(letter)
        paid = np.where(np.arange(len(s["at"])) == a, s["params"]["own"][kind], s["params"]["others"][kind])
        batch.rewards[i] += np.where(s["away"] == 0, paid, 0.0)
        s["digesting"][a] = s["params"]["digestion"][kind]
    if "o" in (follower.old[k] for k, _ in frame["c"]) or "o" in (letter for _, letter in eaten):
        for k, letter in enumerate(follower.cells):
            if letter != "r" and s["cells"][at := follower.at(k)] & LIT - 1 == RED:
                s["cells"][at] -= RED - FLOOR


def ready(follower, i):
    s = follower.batch.records[i]
    return np.where(s["away"] > 0, 0.0, 1 - s["cooldown"] / s["params"]["zap_cooldown"])


RULES = Rules(
    letters={WALL: "#", **LETTERS},
    insert=insert,
    grows="rgbo",
    late=True,
    hidden=eaten_unseen,
    prepare=stay,
    settle=settle,
    observed={"ready": ready},
)


def follow(episode):
    """Follow an episode of Melting Pot; how many mushrooms grew, and how many agents came back."""
    world = Mushrooms(horizon=10_000, end_probability=0.0, **episode["params"])
    follower = Follower(world, episode, RULES)
    follower.batch.records["params"]["chances"] = 0.0
    return sum(len(grown) for _, grown, *_ in follower.steps()), len(follower.returns)


@pytest.mark.slow
def test_melting_pot_in_lock_step():
    """Places, facings, mushrooms, beams, rewards, readiness and who is away, in every frame.

    Of stored episodes: in others, rarely, two agents may have eaten a mushroom that no frame shows.
    """
    grown, back = (sum(found) for found in zip(*map(follow, melting_pot_play.episodes("Mushrooms"))))
    assert grown > 3 and back > 1


# Rules one by one.


@pytest.mark.slow
def test_start():
    """The census of Melting Pot's map: 21 x 11 cells, three mushrooms of each colour but orange, of which one."""
    batch = started(Mushrooms(), 1000)
    found = codes(batch)
    assert (counts(batch) == [3, 3, 3, 1]).all()
    assert ((found[0] == WALL).sum(), found[0].size) == (13 * 23 - 21 * 11, 13 * 23)
    for places in np.nonzero(found > FLOOR)[1:]:
        assert stats.chisquare(np.bincount(places)[1:]).pvalue > 1e-4
    assert (batch.records["under"] == FLOOR).all()


@pytest.mark.parametrize(
    "code, own, others", [(RED, 1, 0), (GREEN, 2 / 4, 2 / 4), (BLUE, 0, 3 / 3), (ORANGE, -1 / 4, -1 / 4)]
)
def test_what_a_bite_pays(code, own, others):
    """Red pays who eats it; two for green are divided by all, three for blue by the others, and orange costs one."""
    batch = play(level=room(**{LETTERS[code]: [(6, 5)]}), players=4)
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP, NOOP, NOOP])
    assert batch.rewards[0] == pytest.approx([own, others, others, others])
    assert where(batch, 0) == (6, 5) and batch.records["under"][0, 0] == FLOOR
    batch.step([NOOP, NOOP, NOOP, NOOP])
    assert not batch.rewards.any()
    batch = play(level=room(**{LETTERS[code]: [(6, 5)]}), players=4)
    put(batch, 0, 5, 5, EAST)
    batch.records["hit"][0, 3] = 1  # who is away gets nothing, as in Melting Pot
    batch.step([FORWARD, NOOP, NOOP, NOOP])
    assert batch.rewards[0] == pytest.approx([own, others, others, 0])


@pytest.mark.parametrize("compat, digestion", [("documented", (0, 5, 10, 15)), ("reference", (0, 10, 15, 15))])
def test_digestion(compat, digestion):
    """After that many steps an agent walks and turns again, as with each of the four kinds in Melting Pot's engine."""
    for code, steps in zip(LETTERS, digestion):
        batch = play(level=room(**{LETTERS[code]: [(6, 5)]}), grow=False, compat=compat)
        put(batch, 0, 5, 5, EAST)
        batch.step([FORWARD, NOOP])
        for left in range(steps - 1, 0, -1):
            assert batch.observations["still"][0].tolist() == [[left], [0]]
            action = (FORWARD, TURN_LEFT, STEP_RIGHT)[left % 3]
            batch.step([action, FORWARD])
            assert where(batch, 0) == (6, 5) and batch.records["facing"][0, 0] == EAST
        assert not batch.observations["still"].any()
        batch.step([FORWARD, NOOP])
        assert where(batch, 0) == (7, 5)
    batch = play(level=room(b=[(6, 5)], r=[(8, 5)]), grow=False)
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP])
    batch.step([ZAP, NOOP])
    assert counts(batch).sum() == 0  # who digests can zap


@pytest.mark.parametrize(
    "code, spores, chances",
    [
        (RED, 3, (0.25, 0, 0, 0)),
        (GREEN, 3, (0.25, 0.4, 0, 0)),
        (BLUE, 3, (0.25, 0.4, 0.6, 0)),
        (ORANGE, 1, (0, 0, 0, 1)),
    ],
)
@pytest.mark.mostly_slow
def test_spores(code, spores, chances):
    """Frequencies by colour, and places; one cell in 230 is lost, where the other agent stands."""
    num = 3000
    batch = play(num, room(**{LETTERS[code]: [(6, 5)]}))
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP])
    grown = counts(batch).sum(axis=0)
    for number, chance in zip(grown, chances):
        if chance == 0:
            assert number == 0
        else:
            low, high = stats.binomtest(int(number), spores * num).proportion_ci(0.9999)
            assert low <= chance * (1 - 1 / 230) <= high
    found = codes(batch) > FLOOR
    assert not found[:, 5, 6].any() and not found[:, 11, 15].any()
    assert stats.chisquare(found.sum(axis=(0, 1))[1:-1][[*range(5), *range(6, 14), *range(15, 21)]]).pvalue > 1e-4
    assert counts(batch).max() <= spores


@pytest.mark.parametrize("free", [(), [(20, 10)], [(5, 5)]])
def test_spores_are_lost_where_somebody_stands_and_where_nothing_is_free(free):
    batch = play(50)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 20, 10, EAST)
    for y in range(1, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            if (x, y) not in ((5, 5), (20, 10)):
                batch.records["cells"][:, cell(batch, x, y)] = BLUE
            if (x, y) not in free:  # of the two cells, as if they had been freed in this step
                batch.records["due"][:, cell(batch, x, y)] = 1 << 40
    batch.step([FORWARD, NOOP])
    grown = counts(batch).sum(axis=1) - (21 * 11 - 3)
    if free == [(5, 5)]:  # where the agent was: the first mushroom that grows is the only one
        low, high = stats.binomtest(int(grown.sum()), 50).proportion_ci(0.9999)
        assert low < 1 - (0.75 * 0.6 * 0.4) ** 3 < high and grown.max() == 1
    else:
        assert not grown.any()


def test_orange_destroys_red():
    """Each of the red ones with probability one quarter; those of other colours stay."""
    reds = [(x, y) for y in range(7, 10) for x in range(1, 21)]
    batch = play(400, room(o=[(6, 5)], r=reds, b=[(1, 1)], g=[(2, 1)]))
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP])
    left = counts(batch)
    assert (left[:, 1:3] == 1).all() and (left[:, 3] <= 1).all()
    low, high = stats.binomtest(int(400 * 60 - left[:, 0].sum()), 400 * 60).proportion_ci(0.9999)
    assert low < 0.25 < high


@pytest.mark.parametrize("compat, lifetime", [("documented", (75, 100, 200)), ("reference", (200, 100, 75))])
def test_lifetimes(compat, lifetime):
    """The first ones are gone at that step, those that grow one step later; both seen in Melting Pot's engine."""
    batch = play(20, room(r=[(1, 1)], g=[(2, 1)], b=[(3, 1), (6, 5)], o=[(4, 1)]), compat=compat)
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP])
    first, grown = (codes(batch)[:, 1, 1:5] > FLOOR).all(axis=0), codes(batch)
    grown[:, 1, 1:5] = FLOOR
    assert first.all() and (grown > FLOOR).sum() > 20
    for t in range(2, 205):
        batch.step([NOOP, NOOP])
        now = codes(batch)
        assert (now[:, 1, 1:5] > FLOOR).tolist() == [[*(t < steps for steps in lifetime), True]] * 20
        now[:, 1, 1:5] = FLOOR
        for code, steps in zip((RED, GREEN, BLUE), lifetime):
            assert ((now == code) == ((grown == code) & (t - 1 <= steps))).all()


def test_beams_destroy_mushrooms():
    """Three cells ahead, and beside it from the agent on; walls stop it, mushrooms do not."""
    near = [(x, y) for y in range(3, 8) for x in range(3, 11) if (x, y) != (5, 5)]
    batch = play(level=room(r=near, wall=[(7, 4)]))
    put(batch, 0, 5, 5, EAST)
    before = codes(batch)[0] == RED
    batch.step([ZAP, NOOP])
    gone = before & (codes(batch)[0] == FLOOR)
    hit = {(int(x), int(y)) for y, x in np.argwhere(gone)}
    assert hit == {(6, 5), (7, 5), (8, 5), (5, 4), (6, 4), (5, 6), (6, 6), (7, 6)}
    assert not batch.rewards.any() and counts(batch)[0, 1:].sum() == 0  # and nothing grows for it
    for _ in range(3):
        batch.step([ZAP, NOOP])
        assert not (batch.records["cells"] & LIT).any()
    batch.step([ZAP, NOOP])
    assert (batch.records["cells"] & LIT).any()  # it cools down for three steps


def test_sanctions():
    """24 steps without walking, turning or zapping; then, while the mark lasts, 51 observations away."""
    batch = play(level=room(b=[(x, y) for y in (9, 10) for x in range(1, 21)]), grow=False)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 7, 5, WEST)
    batch.step([ZAP, NOOP])
    assert batch.observations["marks"][0].tolist() == [[0, 1], [0, 1]]
    for left in range(24, 0, -1):
        assert batch.observations["still"][0].tolist() == [[0], [left]]
        assert batch.observations["ready"][0, 1, 0] == (1 if left == 24 else 0)
        batch.step([NOOP, (FORWARD, TURN_LEFT, ZAP)[left % 3]])
        assert where(batch, 1) == (7, 5) and batch.records["facing"][0, 1] == WEST
        assert not (batch.records["cells"] & LIT).any()
    batch.step([NOOP, BACKWARD])
    assert where(batch, 1) == (8, 5)
    batch.step([ZAP, NOOP])
    assert batch.observations["view"][0, 1].any()  # gone one step later
    for _ in range(51):
        batch.step([NOOP, NOOP])
        assert not batch.observations["view"][0, 1].any() and not batch.observations["marks"].any()
        assert batch.observations["ready"][0, 1, 0] == 0 and batch.observations["still"][0, 1, 0] == 0
    batch.step([NOOP, NOOP])
    assert batch.observations["view"][0, 1].any()
    batch = play(level=room(), grow=False)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 7, 5, WEST)
    batch.step([ZAP, NOOP])
    for t in range(1, 50):
        batch.step([NOOP, NOOP])
        assert batch.observations["marks"][0, 1, 1] == (t < 49)
    batch.step([ZAP, NOOP])
    assert batch.records["away"][0, 1] == 0 and batch.observations["marks"][0, 1, 1] == 1  # a first hit again


def test_who_comes_back_eats_what_it_finds():
    everywhere = [(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]
    batch = play(50, grow=False, zap_away=0)
    batch.records["hit"][:, 1] = 1
    batch.step([NOOP, NOOP])
    assert (batch.records["away"][:, 1] == 1).all()
    cells = [cell(batch, x, y) for x, y in everywhere if (x, y) != (14, 11)]
    batch.records["cells"][:, cells], batch.records["due"][:, cells] = GREEN, 1 << 40
    batch.step([NOOP, NOOP])
    assert (batch.rewards == 1.0).all() and (batch.records["away"] == 0).all()
    assert (counts(batch) == [0, 21 * 11 - 2, 0, 0]).all() and (batch.observations["still"][:, 1] == 4).all()


@pytest.mark.slow
def test_random_play():
    """Melting Pot's random play: 3.63 +- 1.21 in 8 episodes of 1000 steps, and 4.25 +- 0.37 in 124."""
    mean, _ = random_play("Mushrooms", 512, end_probability=0.0, compat="reference")
    assert abs(mean - 4.25) < 3 * np.hypot(0.37, 0.18)


@pytest.mark.slow
def test_who_lives_off_whom():
    """All do best with altruists, and each does better as the only one who is not: a prisoners' dilemma."""
    diagram = schelling("Mushrooms", "altruist", "selfish", num_envs=4, steps=500, players=4, end_probability=0.0)
    assert diagram.is_dilemma and (diagram.temptation > 0).all() and diagram.cooperator[0] == 0
    envs = envsuite.make_vec("Mushrooms", 8, end_probability=0.0, horizon=1000)

    def returns(others, last):
        envs.reset(seed=0)
        seats = {f"player_{a}": others for a in range(4)} | {"player_4": last}
        return envs.rollout(seats, 1000, seed=0).returns

    fair = returns("reciprocator", "reciprocator")
    assert fair.min() > 10 * returns("selfish", "selfish").max() > 0
    assert returns("steward", "selfish")[4] > 1.4 * fair[4] > 1.2 * returns("reciprocator", "selfish")[4]
    assert returns("spiteful", "spiteful").max() < returns("random", "random").min()
    assert returns("steward", "spiteful")[:4].max() < 0.9 * fair.min()


def test_levels_parameters_text_and_picture():
    with pytest.raises(ParameterError, match="lifetime=.*four numbers from 0 to 1e"):
        Mushrooms(lifetime=(1, 2, 3))
    with pytest.raises(LevelError, match="1 free cells"):
        started(Mushrooms(), 1, room(b=[(x, y) for y in range(1, 12) for x in range(1, 22)][1:]))
    with pytest.raises(LevelError, match="letter 'x'"):
        started(Mushrooms(), 1, room(x=[(4, 4)]))
    env = envsuite.make_aec("Mushrooms", players=2)
    env.reset(seed=0, options={"level": {"map": room(b=[(x, 5) for x in range(1, 22)])}})
    for _ in range(2 * 5):
        env.step(NOOP)
    assert "Blue mushrooms: " in env.text("player_0") and "Orange mushrooms: none in view" in env.text("player_0")
    batch = play(level=room(b=[(6, 5)]))
    put(batch, 0, 5, 5, EAST)
    batch.step([FORWARD, NOOP])
    assert "You digest, 9 more turns." in batch.world.text(batch.record(), 0)
    assert len(env.scene().shapes) > 100


@pytest.mark.parametrize("freeze, recovery, cooldown", [(3, 6, 2), (5, 9, 4)])
def test_spans_are_parameters(freeze, recovery, cooldown):
    """The first hit freezes and marks for these numbers of steps, the hit included; that many pass between beams."""
    batch = play(grow=False, freeze=freeze, recovery=recovery, zap_cooldown=cooldown)
    put(batch, 0, 5, 5, EAST)
    fired = []
    for _ in range(3 * cooldown):
        batch.step([ZAP, NOOP])
        fired.append(bool((batch.records["cells"] & LIT).any()))
    assert np.flatnonzero(fired)[:2].tolist() == [0, cooldown + 1]
    batch = play(grow=False, freeze=freeze, recovery=recovery, zap_cooldown=cooldown)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 7, 5, WEST)
    batch.step([ZAP, NOOP])
    for k in range(1, recovery + 1):
        assert batch.observations["marks"][0, 1, 1] == (k < recovery)
        batch.step([NOOP, BACKWARD])
        assert (where(batch, 1) == (7, 5)) == (k < freeze)


def test_digestion_is_a_parameter():
    for code, steps in zip(LETTERS, (4, 0, 2, 1)):
        batch = play(level=room(**{LETTERS[code]: [(6, 5)]}), grow=False, digestion=(4, 0, 2, 1))
        put(batch, 0, 5, 5, EAST)
        batch.step([FORWARD, NOOP])
        still = 0
        while where(batch, 0) == (6, 5):
            batch.step([FORWARD, NOOP])
            still += where(batch, 0) == (6, 5)
        assert still == max(steps - 1, 0)
