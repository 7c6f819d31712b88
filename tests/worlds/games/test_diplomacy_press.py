"""Diplomacy's press: legal messages by enumeration, secrecy, promises against a second count, the same adjudication."""

from functools import cache

import kit
import numpy as np
import pytest

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.core.record import as_views
from envsuite.games.diplomacy import Diplomacy, press
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.reading import read_action
from envsuite.talk.table import Talk
from envsuite.testing import random_actions

ID = "envsuite/Diplomacy-v0"


@cache
def world(**params):
    return registry.build(ID, {"map": "triangle", "press": 2, **params})


def made(level=None, **params):
    """A started game that runs as Python."""
    batch = Batch(world(**params), 1, compiled=False)
    batch.start(int(np.random.default_rng().integers(2**32)), level)
    return batch


def say(batch, *lines):
    """Play a round: a line for each power with the names of its actions, after which it finishes the round."""
    names = batch.world.action_names[0]
    queues = [[word.strip() for word in line.split(";") if word.strip()] for line in lines]
    queues += [[] for _ in range(len(batch.world.agents) - len(queues))]
    round_ = int(batch.records["round"][0])
    while batch.records["round"][0] == round_:
        for power in np.flatnonzero(batch.acting[0]).tolist():
            word = queues[power].pop(0) if queues[power] else "say no more"
            assert word in kit.legal(batch, power), (power, word)
            batch.actions[0, power] = names.index(word)
        batch.step()
    assert not any(queues)
    return batch


def order(batch, **given):
    """Play the moves of a phase: names of actions by province; all other units hold."""
    names, codes, s = batch.world.action_names[0], batch.world.land.codes, batch.record()
    given = {place: [word.strip() for word in words.split(";")] for place, words in given.items()}
    now = (int(s.phase), int(s.year))
    while (int(s.phase), int(s.year)) == now:
        for power in np.flatnonzero(batch.acting[0]).tolist():
            words = given.get(codes[s.cursor[power]], [])
            batch.actions[0, power] = names.index(words.pop(0) if words else "hold")
        batch.step()
    assert not any(given.values())
    return batch


def answers(batch):
    """The answers to all messages: those that are not open."""
    names, s = batch.world.agents, batch.record()
    found = np.argwhere(s.message[..., 3])
    return {(r, names[a], names[b]): int(s.message[r, a, b, 3]) for r, a, b in found.tolist()}


def counts(batch):
    s = batch.record()
    return s.kept.tolist(), s.broken.tolist()


# Legal messages, by enumeration.


def neighbors(land, kind, spot):
    return {land.province(to) for to in land.reached(kind, spot)}


def wanted_messages(s, land, power):
    """All messages that the page allows, from the map: (kind, recipient, about, target)."""
    units = {k: (int(s.owner[k]), neighbors(land, int(s.unit[k]), int(s.spot[k]))) for k in np.flatnonzero(s.unit)}
    alive = [k for k in range(len(land.start)) if not s.terminated[k]]
    reach = {p: set().union(*(near for owner, near in units.values() if owner == p)) for p in range(len(land.start))}
    found = set()
    for other in alive:
        if other == power or s.message[s.round, power, other, 0]:
            continue
        found |= {("peace", other, -1, -1), ("warn", other, -1, -1)}
        found |= {("ally", other, enemy, -1) for enemy in alive if enemy not in (power, other)}
        found |= {("keep out", other, k, -1) for k in (reach[power] & reach[other]) - set(units)}
        for k, (owner, near) in units.items():
            if owner == other:
                found |= {("move", other, k, to) for to in {k} | near}
            if owner == power:
                found |= {("support", other, k, to) for to in ({k} | near) & reach[other]}
        earlier = s.message[: s.round, other, power]
        if any(kind in (1, 2, 3, 4, 8) and answer == 0 for kind, _, _, answer in earlier.tolist()):
            found |= {("accept", other, -1, -1), ("reject", other, -1, -1)}
    return found


KINDS = ["", "peace", "keep out", "move", "support", "accept", "reject", "warn", "ally"]


def legal_messages(batch, power):
    """All messages that a power can complete now, by playing every sequence of actions."""
    before, found = batch.records.copy(), set()

    def go():
        s = batch.record()
        mask = as_views(np.zeros(batch.world.num_actions, np.int8))
        batch.world.kernels.legal(s, power, mask)
        for action in np.flatnonzero(mask).tolist():
            kept, old = batch.records.copy(), s.message[s.round, power].copy()
            press.speak(s, power, action)
            new = np.argwhere((s.message[s.round, power] != old).any(axis=1))
            for other in new[:, 0].tolist():
                kind, about, target, answer = s.message[s.round, power, other].tolist()
                assert answer == 0 and (KINDS[kind], other, about, target) not in found
                found.add((KINDS[kind], other, about, target))
            if s.saying[power]:
                go()
            batch.records[:] = kept

    go()
    assert (batch.records == before).all()
    return found


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        pytest.param("standard", [157, 145, 150, 152, 150, 149, 150], marks=pytest.mark.slow),
        pytest.param("pure", [120] * 7, marks=pytest.mark.slow),
        ("france_austria", [17, 18]),
        ("germany_italy", [21, 23]),
        ("triangle", [34] * 3),
    ],
)
def test_first_spring(name, numbers):
    """The messages of the first spring on each map, for each power."""
    batch = made(map=name)
    for power, number in enumerate(numbers):
        found = legal_messages(batch, power)
        assert found == wanted_messages(batch.record(), batch.world.land, power) and len(found) == number


@pytest.mark.mostly_slow
@pytest.mark.parametrize("steps", [30, 400])
def test_legal_messages(steps):
    """With fresh seeds: in random games, the legal messages are those of the map."""
    rng, batch, checked = np.random.default_rng(), made(), 0
    for _ in range(steps):
        s = batch.record()
        for power in np.flatnonzero(batch.acting[0]).tolist():
            if s.round < 2 and not s.saying[power] and rng.random() < 0.3:
                assert legal_messages(batch, power) == wanted_messages(s, batch.world.land, power)
                checked += 1
            if s.round == 2:
                assert not batch.masks[0, power, batch.world.action_names[0].index("say no more") :].any()
        batch.step(random_actions(batch.masks, rng))
        if batch.finished[0]:
            batch.start()
    assert checked > steps / 10


# The same adjudication.


@pytest.mark.mostly_slow
@pytest.mark.parametrize("map_, games", [("triangle", 1), ("triangle", 12), ("standard", 1)])
def test_same_results(map_, games):
    """With fresh seeds: random games with and without press in lock-step; only the messages differ."""
    rng = np.random.default_rng()
    for _ in range(games):
        years = {"map": map_, "last_year": 1902 if map_ == "triangle" else 1901, "reward": "squares"}
        talk, plain = made(press=int(rng.integers(1, 4)), **years), made(press=0, **years)
        count = plain.world.num_actions
        while not plain.over()[0]:
            while talk.records["round"][0] < talk.world.press:
                talk.step(random_actions(talk.masks, rng))
            assert (talk.masks[0, :, :count] == plain.masks[0]).all() and not talk.masks[0, :, count:].any()
            for name in plain.world.record.names:
                assert name in ("t", "rng", "params") or (talk.records[name] == plain.records[name]).all(), name
            for name in plain.world.slot.names:
                assert (talk.observations[name] == plain.observations[name]).all()
            actions = random_actions(plain.masks, rng)
            plain.step(actions)
            talk.step(actions)
            assert (talk.rewards == plain.rewards).all() and (talk.over() == plain.over()).all()


# Secrecy.


def seen(batch, agent):
    """All that an agent gets from a state."""
    s, it = batch.record(), batch.world
    out, mask = np.zeros(it.slot_shape, it.slot), np.zeros(it.num_actions, np.int8)
    it.kernels.observe(s, agent, as_views(out))
    it.kernels.legal(s, agent, as_views(mask))
    return out.tobytes(), mask.tobytes(), it.text(s, agent), it.reply(s, agent), it.scene(s, agent).shapes


@pytest.mark.mostly_slow
@pytest.mark.parametrize("steps", [15, 200])
def test_secrecy(steps):
    """With fresh seeds: a message, or a draft, that is hidden from an agent changes nothing of what it gets."""
    rng, batch, changed = np.random.default_rng(), made(), {"here": 0, "hidden": 0}
    for _ in range(steps):
        s = batch.record()
        r = int(rng.integers(min(s.round + 1, 2)))
        a, b = rng.choice(3, 2, replace=False).tolist()
        before, views = batch.records.copy(), [seen(batch, agent) for agent in range(3)]
        batch.records["message"][0, r, a, b] = [[0, -1, -1, 0], [1, -1, -1, 0], [8, 3 - a - b, -1, 0]][rng.integers(3)]
        batch.records["quiet"][0, a] = rng.integers(2)
        batch.records["kept"][0, a, b] += rng.integers(2)
        for agent in range(3):
            knows = agent in (a, b)
            if not knows or (agent == b and r == s.round and (s.kept == before["kept"][0]).all()):
                assert seen(batch, agent) == views[agent]
                changed["hidden"] += 1
            else:
                changed["here"] += seen(batch, agent)[0] != views[agent][0]
        batch.records[:] = before
        batch.step(random_actions(batch.masks, rng))
        if batch.finished[0]:
            batch.start()
    assert changed["here"] > steps / 10 and changed["hidden"] > steps / 2


def test_delivery():
    """A message is seen when the round is over, by its recipient only; spectators see those that are delivered."""
    batch = made()
    names = batch.world.action_names[0]
    batch.step([names.index(word) for word in ("propose peace to East", "warn North", "say no more")])
    assert "You to East: I propose peace." in batch.world.text(batch.record(), 0) and not batch.world.messages(
        batch.record()
    )
    for power in (1, 2):
        assert "peace" not in batch.world.text(batch.record(), power)
        assert (batch.observations["heard"][0, power, ..., 0] == 0).all()
    assert not batch.acting[0, 2] and batch.acting[0, :2].all()
    batch.step([names.index("say no more")] * 3)
    assert "Round 1. North to you: I propose peace." in batch.world.text(batch.record(), 1)
    assert "peace" not in batch.world.text(batch.record(), 2)
    assert batch.world.messages(batch.record()) == [(0, "to East: I propose peace"), (1, "to North: I warn you")]
    assert batch.observations["heard"][0, 1, 0, 0].tolist() == [1, -1, -1, 0]


# Answers and promises.


def test_what_can_be_accepted():
    """Proposals and requests, but no answer, warning or silence; those to keep peace and to stay away bind both."""
    kinds = dict(enumerate(KINDS))
    proposals = {"peace", "keep out", "move", "support", "ally"}
    assert {name for kind, name in kinds.items() if press.is_proposal(kind)} == proposals
    assert {name for kind, name in kinds.items() if press.is_mutual(kind)} == {"peace", "keep out", "ally"}


def test_answers():
    """The newest open proposal of an earlier round is answered; answers count when the round is over."""
    batch = made(press=3)
    assert not {"accept proposal of West", "reject proposal of West"} & kit.legal(batch, 0)
    say(batch, "propose peace to East", "warn North", "ally with North against East")
    assert {"accept proposal of North", "reject proposal of North"} <= kit.legal(batch, 1)
    assert "accept proposal of East" not in kit.legal(batch, 0)
    say(batch, "reject proposal of West", "propose peace to West", "ask East to move; name SOR; to WEL")
    assert answers(batch) == {(0, "west", "north"): press.REJECTED}
    assert "reject proposal of West" not in kit.legal(batch, 0)
    say(batch, "", "accept proposal of North; accept proposal of West", "accept proposal of East")
    assert answers(batch) == {
        (0, "west", "north"): press.REJECTED,
        (0, "north", "east"): press.AGREED,
        (1, "west", "east"): press.AGREED,
        (1, "east", "west"): press.AGREED,
    }


def test_crossing():
    """Equal proposals of two powers to each other are agreed, in one round or in two, and count once."""
    batch = made()
    say(batch, "propose peace to East; ally with West against East", "propose peace to North", "propose peace to North")
    assert answers(batch) == {(0, "north", "east"): press.AGREED, (0, "east", "north"): press.AGREED}
    say(batch, "propose peace to East; propose peace to West", "propose peace to North")
    assert len(answers(batch)) == 6
    order(batch)
    assert counts(batch) == ([[0, 1, 1], [1, 0, 0], [1, 0, 0]], [[0] * 3] * 3)
    assert batch.records["performance"][0].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("proposal", "orders", "kept"),
    [
        # North has A NOR and F CAL, East A SOR and F DUN, West A TAR and F GUL. North proposes, East accepts.
        ("propose peace to East", {}, (1, 1)),
        ("propose peace to East", {"NOR": "to EAR"}, (1, 1)),
        ("propose peace to East", {"CAL": "to DUN"}, (0, 1)),
        ("propose peace to East", {"CAL": "support GUL; to DUN"}, (0, 1)),
        ("propose peace to East", {"CAL": "support GUL; hold"}, (1, 1)),
        ("propose peace to East", {"CAL": "convoy TAR; to SOR"}, (0, 1)),
        ("propose peace to East", {"CAL": "convoy SOR; to NOR"}, (1, 1)),
        ("propose peace to East", {"NOR": "to SOR by convoy"}, (0, 1)),
        ("propose peace to East", {"DUN": "to CAL"}, (1, 0)),
        ("ally with East against West", {"CAL": "to GUL", "DUN": "support CAL; to GUL"}, (1, 1)),
        ("ally with East against West", {"CAL": "support GUL; hold"}, (0, 1)),
        ("ally with East against West", {"DUN": "convoy TAR; to EAR"}, (1, 0)),
        ("ally with East against West", {"DUN": "to CAL"}, (1, 0)),
        ("ask East to demilitarize; name EAR", {}, (1, 1)),
        ("ask East to demilitarize; name EAR", {"NOR": "to EAR"}, (0, 1)),
        ("ask East to demilitarize; name EAR", {"NOR": "to EAR by convoy", "DUN": "support SOR; to EAR"}, (0, 0)),
        ("ask East to demilitarize; name EAR", {"CAL": "support NOR; to EAR", "SOR": "to WEL"}, (0, 1)),
        ("ask East to move; name DUN; to WEL", {"DUN": "to WEL"}, (None, 1)),
        ("ask East to move; name DUN; to WEL", {"DUN": "to GUL"}, (None, 0)),
        ("ask East to move; name DUN; to WEL", {"SOR": "to WEL"}, (None, 0)),
        ("ask East to move; name SOR; to WEL", {"SOR": "to WEL by convoy"}, (None, 1)),
        ("ask East to move; name DUN; hold", {"DUN": "support SOR; hold"}, (None, 1)),
        ("ask East to move; name SOR; hold", {"SOR": "to WEL"}, (None, 0)),
        ("ask East to support; name CAL; to GUL", {"CAL": "to GUL", "DUN": "support CAL; to GUL"}, (1, 1)),
        ("ask East to support; name CAL; to GUL", {"CAL": "hold", "DUN": "support CAL; to GUL"}, (0, 1)),
        ("ask East to support; name CAL; to GUL", {"CAL": "to GUL", "DUN": "support CAL; to EAR"}, (1, 0)),
        ("ask East to support; name CAL; hold", {"DUN": "support CAL; hold"}, (1, 1)),
        ("ask East to support; name CAL; hold", {"CAL": "to FEN"}, (0, 0)),
    ],
)
def test_promises(proposal, orders, kept):
    """What each promise asks for."""
    batch = say(say(made(), proposal), "", "accept proposal of North")
    order(batch, **orders)
    s = batch.record()
    found = [(s.kept[a, 1 - a], s.broken[a, 1 - a]) for a in range(2)]
    assert found == [(0, 0) if one is None else (one, 1 - one) for one in kept]
    assert s.kept.sum() + s.broken.sum() == sum(one is not None for one in kept)


def test_performance_is_what_is_kept_less_what_is_broken():
    s = made().record()
    for power, other, kept in ((0, 1, True), (0, 2, False), (1, 0, False), (0, 1, False), (0, 1, False), (2, 0, True)):
        press.note_promise(s, power, other, kept)
    assert s.kept.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert s.broken.tolist() == [[0, 2, 1], [1, 0, 0], [0, 0, 0]] and s.performance.tolist() == [-2, -1, 1]


def test_centers_count_as_attacked():
    """A move to an empty center of the other breaks a peace."""
    level = {"units": {"north": ["A FEN"], "east": ["A EAR"]}, "centers": {"east": ["TAR", "EAR"], "north": ["NOR"]}}
    batch = say(say(made(level=level), "propose peace to East"), "", "accept proposal of North")
    order(batch, FEN="to TAR")
    assert counts(batch)[1][0][1] == 1 and counts(batch)[0][1][0] == 1
    assert "North has kept 0 promises to you and broken 1." in batch.world.text(batch.record(), 1)
    level["units"] = {"north": ["A TAR", "A FEN"], "east": ["A EAR"]}  # a unit that is there already may be supported
    batch = say(say(made(level=level), "propose peace to East"), "", "accept proposal of North")
    order(batch, FEN="support TAR; hold")
    assert counts(batch)[0][0][1] == 1


def judged(land, message, last, center):
    """Promises kept and broken in the last moves, counted another way: all pairs (power, other, about what, kept)."""
    found = {}
    orders = {k: (int(last.owner[k]), int(last.order[k]), int(last.helped[k]), int(last.target[k])) for k in
              np.flatnonzero(last.unit).tolist()}  # fmt: skip
    holder = {k: each[0] for k, each in orders.items()}

    def into(power):
        """The provinces that a power attacks or helps to attack, each with the owner of the unit that goes there."""
        goals = []
        for owner, kind, helped, target in orders.values():
            if owner == power and kind in (2, 3):
                goals.append((land.province(target), power))
            if owner == power and (kind == 5 or (kind == 4 and helped != target)):
                goals.append((target, holder[helped]))
        return goals

    def peaceful(power, other):
        return not any(
            mover != other and other in (holder.get(place), int(center[place])) for place, mover in into(power)
        )

    def helped(power):
        return {holder[h] for owner, kind, h, _ in orders.values() if owner == power and kind in (4, 5)}

    def arrives(k, target):
        _, kind, _, goal = orders[k]
        return (land.province(goal) if kind in (2, 3) else k) == target

    for _, a, b in np.argwhere(message[..., 3] == press.AGREED).tolist():
        for kind, about, target in {tuple(m[:3]) for m in message[:, a, b].tolist() if m[3] == press.AGREED}:
            pair, mutual = (a, b), kind in (1, 2, 8)
            what = (kind, about, target, frozenset(pair) if mutual else pair)
            for power, other in (pair, pair[::-1]):
                if kind == 1:
                    kept = peaceful(power, other)
                elif kind == 8:
                    kept = peaceful(power, other) and about not in helped(power)
                elif kind == 2:
                    kept = about not in {place for place, _ in into(power)}
                elif kind == 3 and power == a:
                    continue
                elif kind == 3 or power == a:
                    kept = arrives(about, target)
                else:
                    kept = any(o == power and c == 4 and (h, t) == (about, target) for o, c, h, t in orders.values())
                found[power, other, what] = kept
    return found


@pytest.mark.mostly_slow
@pytest.mark.parametrize("games", [1, 12])
def test_promises_are_counted(games):
    """With fresh seeds: promises kept and broken in random games whose powers accept much, counted another way."""
    rng, total = np.random.default_rng(), 0
    for _ in range(games):
        batch = made(last_year=1902, press=int(rng.integers(2, 4)))
        names = batch.world.action_names[0]
        eager = np.array([1 + 20 * name.startswith(("accept", "propose peace")) for name in names])
        kept = np.zeros((2, 3, 3), int)
        while not batch.over()[0]:
            s = batch.record()
            before, centers, moves = s.message.copy(), s.center.copy(), (int(s.phase), int(s.year))
            batch.step(random_actions(batch.masks * eager, rng))
            if moves[0] in (0, 2) and (int(s.phase), int(s.year)) != moves:
                for (power, other, _), one in judged(batch.world.land, before, s.last, centers).items():
                    kept[int(not one), power, other] += 1
            assert (s.kept == kept[0]).all() and (s.broken == kept[1]).all()
            assert (s.performance == (kept[0] - kept[1]).sum(axis=1)).all()
        total += kept.sum()
    assert total > 3 * games


def test_agreements_end():
    """Messages are forgotten, and promises judged, with each phase of moves."""
    batch = say(say(made(), "propose peace to East"), "", "accept proposal of North")
    order(batch)
    assert batch.records["phase"][0] == 2 and not batch.records["message"][0, ..., 0].any()
    say(say(batch))
    order(batch, CAL="to DUN")
    assert counts(batch) == ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[0] * 3] * 3)


# Rounds, levels, records.


def test_rounds():
    """A power writes once to each other one in a round, then the round is over for it."""
    batch = made(map="standard", press=1)
    actions = ["propose peace", "warn"]
    batch.step([batch.world.action_names[0].index(f"{actions[k % 2]} {'to ' * (1 - k % 2)}{other}") for k, other in
                enumerate(("England", "France", "Germany", "Italy", "Russia", "Turkey", "Austria"))])  # fmt: skip
    assert not any("England" in name for name in kit.legal(batch, 0) if "against" not in name)
    assert {"warn England", "warn Turkey"} <= kit.legal(batch, 2)
    batch = made(map="france_austria", press=1)
    batch.step([batch.world.action_names[0].index(name) for name in ("warn France", "propose peace to Austria")])
    assert batch.records["round"][0] == 1 and kit.legal(batch, 0) >= {"hold", "to GAL"}


def test_powers_that_are_out():
    """Nobody writes to a power that is out, and a last power has no press."""
    level = {"season": "autumn", "units": {"north": ["A NOR"], "east": ["A SOR"]}, "centers": {"north": ["NOR"]}}
    batch = order(say(say(made(level=level))))
    assert batch.terminations[0].tolist() == [False, False, True] and batch.records["phase"][0] == 0
    assert not any("West" in name for name in kit.legal(batch, 0))
    say(say(batch, "propose peace to East"), "", "accept proposal of North")
    level = {"season": "autumn", "units": {"north": ["A NOR"]}, "centers": {"north": ["NOR"]}}
    batch = made(level=level)
    assert batch.records["round"][0] == 0  # all are there until a year ends
    order(say(say(batch)))
    assert batch.records["round"][0] == 2 and kit.legal(batch, 0) >= {"hold", "to EAR"}


def test_levels():
    """Levels are those without press; an autumn and a spring begin with press, a winter does not."""
    level = {"year": 1902, "season": "autumn", "units": {"north": ["A NOR"]}, "centers": {"north": ["NOR"]}}
    batch = made(level=level)
    assert batch.world.get_level(batch.record()) == Diplomacy(map="triangle").get_level(
        made(press=0, level=level).record()
    )
    assert batch.records["round"][0] == 0 and batch.records["cursor"].max() == -1
    batch = made(level={"season": "winter", "units": {"north": ["A NOR"]}})
    assert batch.records["round"][0] == 2 and kit.legal(batch, 0) == {"disband NOR", "waive"}


def test_snapshots():
    """A snapshot in the middle of a message continues exactly."""
    batch = made()
    names = batch.world.action_names[0]
    batch.step([names.index(name) for name in ("ask East to support", "propose peace to North", "say no more")])
    other = made()
    batch.world.admit(batch.records)
    other.records[:] = batch.records
    other.observe()
    for each in (batch, other):
        each.step([names.index("name CAL"), names.index("say no more"), 0])
        each.step([names.index("to GUL"), 0, 0])
        say(each)
    assert batch.records.tobytes() == other.records.tobytes()
    assert batch.records["message"][0, 0, 0, 1].tolist() == [press.ASK_SUPPORT, 0, 4, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"message": ((0, 0, 1), [2, -1, -1, 0])}, "something else"),
        ({"message": ((0, 0, 1), [8, 3, -1, 0])}, "something else"),
        ({"message": ((0, 0, 1), [3, 0, -1, 0])}, "another target"),
        ({"message": ((0, 0, 1), [0, -1, -1, 1])}, "answer to none"),
        ({"message": ((0, 1, 1), [1, -1, -1, 0])}, "to oneself"),
        ({"message": ((1, 0, 1), [1, -1, -1, 0])}, "round to come"),
        ({"cursor": (0, 5)}, "another time"),
        ({"phase": ((), 4)}, "another time"),
        ({"quiet": ((), 1)}, "cannot be completed"),
        ({"saying": (0, 3)}, "cannot be completed"),
        ({"saying": (0, 3), "hearer": (0, 0)}, "cannot be completed"),
        ({"saying": (0, 4), "hearer": (0, 1), "named": (0, 6)}, "cannot be completed"),
        ({"round": ((), 2), "saying": (0, 3)}, "without press"),
        ({"truncated": (0, 1)}, "out of time"),
    ],
)
def test_contradictions(changes, message):
    batch = made()
    for field, (where, value) in changes.items():
        batch.records[field][(0, *(where if isinstance(where, tuple) else (where,)))] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


# Words and pictures.


def test_without_press():
    """Nothing of press is there by default."""
    plain, talk = Diplomacy(), world(map="standard", press=1)
    assert set(talk.slot.names) - set(plain.slot.names) == {"heard", "sent", "talk", "word"}
    assert plain.action_names[0] == talk.action_names[0][:356] and len(talk.action_names[0]) == 523
    assert not plain.performance and "performance" not in plain.record.names and plain.keys == Diplomacy.keys


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("I offer peace to Germany, friends.", "propose peace to Germany"),
        ("Tell Germany: support A BUR to RUH", "ask Germany to support"),
        ("Ask Germany to move.", "ask Germany to move"),
        ("ally with Italy against Austria!", "ally with Italy against Austria"),
        ("Done", "say no more"),
    ],
)
def test_answers_in_words(answer, name):
    batch = made(map="standard", press=1)
    names, legal = batch.world.action_names[2], np.flatnonzero(batch.masks[0, 2])
    assert names[read_action(names, answer, legal, batch.world.synonyms)] == name
    with pytest.raises(ActionError, match="propose peace to Germany"):
        read_action(names, "propose peace Germany", legal, batch.world.synonyms)


def test_one_sentence():
    """One sentence answers all questions of a message."""
    batch = made(map="standard", press=1, level={"units": {"france": ["A BUR"], "germany": ["A MUN"]}})
    names, sentence = batch.world.action_names[2], "tell Germany: support A BUR to RUH"
    for name, question in (
        ("ask Germany to support", "What do you say, and to whom?"),
        ("name BUR", "You ask Germany to support: which of your units?"),
        ("to RUH", "You ask Germany to support A BUR: what does that unit do?"),
    ):
        assert batch.world.text(batch.record(), 2).endswith(question)
        legal = np.flatnonzero(batch.masks[0, 2])
        action = read_action(names, sentence, legal, batch.world.synonyms)
        assert names[action] == name
        batch.actions[0] = names.index("say no more")
        batch.actions[0, 2] = action
        batch.step()
    assert "You to Germany: please support BUR to RUH." in batch.world.text(batch.record(), 2)


def test_clicks():
    """A power in the list means peace or consent, and provinces are named by clicks."""
    batch = made()
    row = lambda power: batch.world.click(batch.record(), 0, 23, 1.9 + 1.25 * power)  # noqa: E731
    names = batch.world.action_names[0]
    assert [row(power) for power in range(3)] == [
        None,
        *(names.index(f"propose peace to {p}") for p in ("East", "West")),
    ]
    say(batch, "", "propose peace to North")
    assert names[row(1)] == "accept proposal of East"
    batch.step([names.index("ask East to support"), names.index("say no more"), names.index("say no more")])
    at = dict(zip(batch.world.land.codes, batch.world.land.places))
    assert names[batch.world.click(batch.record(), 0, *at["CAL"])] == "name CAL"
    batch.step([names.index("name CAL"), 0, 0])
    assert names[batch.world.click(batch.record(), 0, *at["CAL"])] == "hold"
    assert names[batch.world.click(batch.record(), 0, *at["GUL"])] == "to GUL"


# Baselines.


def ended(*policies, **params):
    """The record of a finished game between these policies."""
    batch = made(**params)
    players = [make_policy(name, batch.world) for name in policies]
    for k, player in enumerate(players):
        player.reset(k, 1)
    while not batch.over()[0]:
        for k, player in enumerate(players):
            batch.actions[:, k] = player.act_in(batch, [k])[:, 0]
        batch.step()
    return batch.record()


def test_honest_and_liar():
    """Honest powers break no promise, and make peace with a liar again only if they are trusting."""
    s = ended("honest", "honest", "honest", last_year=1902)
    assert not s.broken.any() and s.kept.sum() == 6 * 4
    s = ended("honest", "liar", "honest", last_year=1903)
    assert not s.broken[[0, 2]].any() and s.broken[1].any() and (s.broken[1] <= 1).all()
    s = ended("honest:trusting=True", "liar", "honest:trusting=True", last_year=1903)
    assert s.broken[1].max() > 1 and not s.broken[[0, 2]].any()


def test_others_are_silent():
    batch = made()
    assert [kit.choices(name, batch, 0) for name in ("hold", "march", "siege")] == [{"say no more"}] * 3
    assert kit.choices("honest", batch, 0) == kit.choices("liar", batch, 0) == {"propose peace to East"}
    batch.step([batch.world.action_names[0].index("ask East to demilitarize")] + [batch.masks[0, 1].argmax()] * 2)
    for name in ("hold", "march", "siege", "honest", "liar"):  # a message that somebody else has begun
        assert kit.choices(name, batch, 0) == {"name EAR"}


@pytest.mark.slow
def test_what_honesty_costs():
    """On the triangle as on the page: liars gain from powers that forgive them, and less from those that do not."""

    def mean(policy, others):
        seats = [kit.played(ID, policy, seat, 60, others, map="triangle", press=2)[:, seat] for seat in range(3)]
        return np.mean(seats)

    forgiving = "honest:trusting=True"
    assert mean("liar", forgiving) > 1.4 > mean("liar", "honest") > mean("siege", "honest") > 0.4
    assert mean(forgiving, "liar") + 0.1 < mean("honest", "liar") < mean("liar", "liar")


# Free talk.


def hears(batch, power, name):
    """Who hears a power when it says this, by name; None if that is no speech."""
    world = batch.world
    agent = world.agents.index(power)
    to = world.speech(batch.record(), agent, world.action_names[agent].index(name))
    return None if to is None else [world.agents[a] for a in to]


def test_the_power_that_is_written_to_hears_words():
    batch = made(map="standard", press=1)
    powers = [power.title() for power in batch.world.agents]
    for other in powers[1:]:
        for words in (*press.STARTS.values(), f"ally with {{}} against {powers[0]}"):
            assert hears(batch, batch.world.agents[0], words.format(other)) == [other.lower()]
        for enemy in set(powers[1:]) - {other}:
            assert hears(batch, batch.world.agents[0], f"ally with {other} against {enemy}") == [other.lower()]
    for name in ("say no more", "name PAR", "hold"):
        assert hears(batch, "france", name) is None
    names = batch.world.action_names[0]
    batch.step([names.index("say no more")] * 7)
    assert hears(batch, "france", "propose peace to Germany") is None


def test_words_stand_beside_messages_only():
    Talk("beside").demand(made().world)
    with pytest.raises(ParameterError, match="say=True"):
        Talk("free").demand(made().world)
    Talk("free").demand(made(say=True).world)
    with pytest.raises(ParameterError, match="no acts of speech"):
        Talk("beside").demand(made(press=0).world)


def test_a_letter_takes_the_place_of_a_message_and_promises_nothing():
    batch = made(say=True, press=1)
    plain, names = made(press=1).world.action_names[0], batch.world.action_names[0]
    powers = [power.title() for power in batch.world.agents]
    assert names == (*plain, *(f"write to {power}" for power in powers))
    first = batch.world.agents[0]
    assert hears(batch, first, f"write to {powers[1]}") == [batch.world.agents[1]]
    assert {name for name in kit.legal(batch, 0) if name.startswith("write")} == {f"write to {p}" for p in powers[1:]}
    for power in range(3):
        batch.actions[0, power] = names.index(f"write to {powers[(power + 1) % 3]}")
    batch.step()
    assert not any(f"{verb} {powers[1]}" in kit.legal(batch, 0) for verb in ("write to", "warn", "propose peace to"))
    say(batch)
    s = batch.record()
    assert s.round == 1 and sorted(set(s.message[..., press.KIND].flat)) == [press.NOTHING, press.WRITE]
    assert not s.kept.any() and not s.broken.any() and batch.world.contradiction(s) is None
    assert f"{powers[2]} to you: a letter." in batch.world.text(s, 0)


def test_in_free_talk_all_messages_are_letters():
    batch = made(say=True, press=2)
    powers = [power.title() for power in batch.world.agents]
    say(batch, f"propose peace to {powers[1]}; warn {powers[2]}", f"write to {powers[0]}")
    world, s = batch.world, batch.record()
    shown, quiet = world.text(s, 1), world.text(world.unspoken(s), 1)
    assert "I propose peace" in shown and "peace" not in quiet and f"{powers[0]} to you: a letter." in quiet
    assert s.message[..., press.KIND].max() == press.WRITE  # the record itself keeps them
    silent = made(press=0)
    assert silent.world.unspoken(silent.record()) is not None


def test_words_alone_are_a_letter_to_the_one_that_is_named():
    driver = Driver(world(say=True, press=1), range(3), {}, Protocol(talk="free"), 0)
    names = [power.title() for power in driver.world.agents]
    text = driver.request(0).messages[-1]["content"]
    assert f'write "Say to NAME: "; your action is then one like write to {names[1]}.' in text
    assert driver.give(0, Answer(f"Say to {names[1]}: Are you with me?")).action == f"write to {names[1]}"
    assert driver.give(1, Answer("Say: To whom?")).action is None
    assert driver.give(1, Answer(f"Say: Watch out.\nAction: warn {names[0]}")).action == f"warn {names[0]}"
    driver.give(2, Answer("Action: say no more"))
    driver.advance()
    assert [(line.agent, line.to, line.text) for line in driver.words.lines] == [
        (0, (1,), "Are you with me?"), (1, (0,), "Watch out."),
    ]  # fmt: skip
