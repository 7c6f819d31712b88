"""SimpleNegotiation: lockstep with recorded games of SPIRAL's environment, its values, levels, baselines."""

import json
import zlib

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.evaluation.matches import play_batch
from envsuite.games.simple_negotiation import OPPOSED, SimpleNegotiation
from envsuite.registry import build
from envsuite.render.page import heard

ID = "envsuite/SimpleNegotiation-v0"

# 1,000 random games in SPIRAL's own environment; the file names their origin and method.
REFERENCE = json.loads((DATA / "SimpleNegotiation" / "negotiation_simple.json").read_text())
GAMES = REFERENCE["games"]

NAMES = SimpleNegotiation().action_names[0]


def offered(action):
    """The amounts and goods given and asked for, from an offer's name."""
    _, give, good, _, get, other = NAMES[action].split()
    return int(give), ("wood", "gold").index(good), int(get), ("wood", "gold").index(other)


def expected(game, turn, agent):
    """The observation of an agent before a turn, from the recorded columns alone."""
    columns = game["turns"]
    wood, gold = columns[turn - 1][2:4] if turn else game["stock"][0]
    total = np.sum(game["stock"], axis=0)
    stock = np.array([[wood, gold], [total[0] - wood, total[1] - gold]])
    values = np.array(game["values"])
    standing = columns[turn - 1][4] if turn else 0
    net, by = [0, 0], 0
    if standing:
        give, good, get, other = offered(abs(standing))
        mine = (standing > 0) == (agent == 0)
        by, sign = (1, 1) if mine else (2, -1)
        net[good], net[other] = -sign * give, sign * get
    words, last = [0, 0], 0
    for k, (_, action, *_) in enumerate(columns[:turn]):
        name = NAMES[action]
        last = 1 + ["accept", "deny", "pass", "offer", "say"].index(name.split()[0])
        if last == 5:
            words[k % 2] = 1 + ["wood", "gold"].index(name.split()[-1])
    gained = int((values[agent] * (stock[agent] - game["stock"][agent])).sum())
    return [
        *stock[agent], *stock[1 - agent], *values[agent], gained, by, *net,
        words[agent], words[1 - agent], last, 10 - turn, int(turn % 2 == agent),
    ]  # fmt: skip


@pytest.mark.mostly_slow
@pytest.mark.parametrize("games", [GAMES[7:13], GAMES], ids=["some", "all"])
def test_equals_spiral(games):
    """Every turn of recorded games: mover, all legal actions, holdings, offers, observations, winner and gains."""
    batch = Batch(SimpleNegotiation(), len(games))
    batch.start(levels=[{"stock": game["stock"], "values": game["values"]} for game in games])
    kinds = set()
    for turn in range(11):
        for i, game in enumerate(games):
            for agent in range(2):
                assert batch.observations[i, agent].tolist() == expected(game, turn, agent)
            if turn < 10:
                code, action, *_ = game["turns"][turn]
                mover = turn % 2
                assert zlib.crc32(batch.masks[i, mover].tobytes()) & 65535 == code
                assert not batch.masks[i, 1 - mover].any()
                batch.actions[i] = action
                kinds.add(NAMES[action].split()[0])
            else:
                gains = [expected(game, 10, agent)[6] for agent in range(2)]
                assert batch.rewards[i].tolist() == game["rewards"] and gains == game["gains"]
        assert (batch.over() == (turn == 10)).all() and not batch.truncations.any()
        assert turn == 10 or not batch.rewards.any()
        if turn < 10:
            batch.step()
    assert kinds == {"accept", "deny", "pass", "offer", "say"}
    assert {tuple(game["rewards"]) for game in games} == {(1, -1), (-1, 1), (0, 0)}


def test_default_start():
    """SPIRAL's: 10 wood and 10 gold each, worth 5 and 15, and 15 and 5 (every second recorded game)."""
    batch = kit.started(SimpleNegotiation())
    assert SimpleNegotiation().get_level(batch.record()) == {k: GAMES[0][k] for k in ("stock", "values")}
    assert OPPOSED.tolist() == GAMES[0]["values"] and len(NAMES) == 205


def run(moves, **params):
    world = SimpleNegotiation(**params)
    batch = kit.started(world)
    for move in moves:
        batch.step(world.action_names[0].index(move))
    return batch


@pytest.mark.parametrize(
    ("moves", "accept", "deny"),
    [
        ([], 0, 0),
        (["offer 2 wood for 3 gold"], 1, 1),
        (["offer 2 wood for 3 gold", "pass"], 0, 0),  # the player's own offer
        (["offer 2 wood for 3 gold", "say I prefer wood", "pass"], 1, 1),  # it stands through talk and passing
        (["offer 2 wood for 3 gold", "deny", "pass"], 0, 0),
        (["offer 2 wood for 3 gold", "accept", "pass"], 0, 0),
        (["offer 2 wood for 9 gold", "accept", "offer 1 wood for 2 gold"], 0, 1),  # player_1 has 1 gold left
    ],
)
def test_offers_stand(moves, accept, deny):
    batch = run(moves)
    assert batch.masks[0, len(moves) % 2, :3].tolist() == [accept, deny, 1]


def test_known_values():
    """A swap of n for n gains 10 n for both (by hand: 15 n - 5 n). More units win: 20 times the difference in units."""
    for n in range(1, 11):
        batch = run([f"offer {n} wood for {n} gold", "accept", *["pass"] * 8])
        assert batch.observations[0, :, 6].tolist() == [10 * n, 10 * n] and batch.rewards[0].tolist() == [0, 0]
        assert batch.over()[0]
    for give, get in ((1, 2), (2, 1), (3, 10)):
        batch = run([f"offer {give} wood for {get} gold", "accept", *["pass"] * 8])
        gains = batch.observations[0, :, 6].tolist()
        assert gains[0] - gains[1] == 20 * (get - give)
        assert batch.rewards[0].tolist() == [np.sign(get - give), -np.sign(get - give)]


@pytest.mark.parametrize("wood, gold, paid", [(1, 1, [0, 0]), (2, 1, [1, -1]), (1, 2, [-1, 1])])
def test_the_smallest_difference_decides(wood, gold, paid):
    """player_0 gives a gold for a wood, with these values; player_1 values both at 1 and gains nothing."""
    level = {"stock": [[5, 5], [5, 5]], "values": [[wood, gold], [1, 1]]}
    batch = kit.started(SimpleNegotiation(rounds=2), level=level)
    kit.act(batch, "offer 1 gold for 1 wood", "accept")
    assert batch.rewards[0].tolist() == paid


def test_parameters():
    batch = run(["pass"] * 3, rounds=3, wood=2, gold=20)
    assert batch.over()[0] and batch.observations[0, 0, :4].tolist() == [2, 20, 2, 20]
    batch = run([], wood=0)  # no wood to offer, all gold
    assert batch.masks[0, 0, 3:203].tolist() == [0] * 100 + [1] * 100
    assert len(SimpleNegotiation(largest=20, talk=False).action_names[0]) == 803


def test_random_values_are_uniform():
    """Values from 1 to 20 are equally frequent for both players and goods: chi-square within its 1e-6 quantile."""
    batch = kit.started(SimpleNegotiation(values="random"), 8000)
    for values in batch.records["values"].reshape(-1, 4).T:
        counts = np.bincount(values, minlength=21)
        assert counts[0] == 0 and len(counts) == 21
        assert ((counts[1:] - 400) ** 2 / 400).sum() < 66.6  # scipy.stats.chi2.isf(1e-6, 19) = 66.51


def test_random_values_reach_both_limits():
    """From 1 to 20, in 60 games."""
    values = kit.started(SimpleNegotiation(values="random"), 60).records["values"]
    assert values.min(axis=0).tolist() == [[1, 1], [1, 1]] and values.max(axis=0).tolist() == [[20, 20], [20, 20]]


@pytest.mark.parametrize("agent", [0, 1])
def test_guesses_are_about_the_other(agent):
    """Values that a level gives are kept for the guessing player; the other's are its own ones, or drawn again."""
    level = {"stock": [[1, 2], [3, 4]], "values": [[7, 8], [9, 30]]}
    batch = kit.started(SimpleNegotiation(), level=level)
    type(batch.world).guess(batch.record(), agent)
    wanted = [[7, 8], [15, 5]] if agent == 0 else [[5, 15], [9, 30]]
    assert batch.records["values"][0].tolist() == wanted
    batch, found = kit.started(SimpleNegotiation(values="random"), level=level), set()
    for _ in range(4):
        type(batch.world).guess(batch.record(), agent)
        assert batch.records["values"][0, agent].tolist() == level["values"][agent]
        found.add(tuple(batch.records["values"][0, 1 - agent].tolist()))
    assert len(found) == 4 and all(1 <= value <= 20 for values in found for value in values)


def play(names, num=2000):
    """Rewards (num, 2) of games between two policies, and the gains of both."""
    batch = kit.started(build(ID), num)
    players = [make_policy(name, batch.world) for name in names]
    rewards = play_batch(batch, players, np.tile([0, 1], (num, 1)), 0, None, None).returns
    return rewards, batch.observations[:, :, 6].copy()


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_baselines_beat_random(seat):
    """Shrewd wins most games and loses none; a trader never loses value, and wins far more games than it loses.

    Random players accept one offer in 200, so two of them draw more than 9 of 10 games.
    """
    assert (play(["random", "random"])[0][:, seat] == 0).mean() > 0.9
    rewards, _ = play(["shrewd" if k == seat else "random" for k in range(2)])
    assert (rewards[:, seat] == 1).mean() > 0.65 and (rewards[:, seat] >= 0).all()
    rewards, gains = play(["trader" if k == seat else "random" for k in range(2)])
    assert rewards[:, seat].mean() > 0.25 and (gains[:, seat] >= 0).all()


@pytest.mark.parametrize("seat", [0, 1])
def test_baselines_meet(seat):
    """Traders double what they hold and draw; shrewd beats a trader; nobody trades with stubborn."""
    rewards, gains = play(["trader", "trader"], 2)
    assert (gains == 100).all() and (rewards == 0).all()
    rewards, gains = play(["shrewd" if k == seat else "trader" for k in range(2)], 2)
    assert (rewards[:, seat] == 1).all() and (gains > 0).all()
    for name in ("trader", "shrewd", "random"):
        rewards, gains = play(["stubborn" if k == seat else name for k in range(2)], 20)
        assert not rewards.any() or name == "random"
    assert not play(["shrewd", "shrewd"], 2)[0].any()


def test_wrong_levels():
    kit.refuses(
        SimpleNegotiation(),
        ({"stock": [[21, 0], [0, 0]], "values": [[1, 1], [1, 1]]}, "=21 must be an integer from 0 to 20"),
        ({"stock": [[-1, 0], [0, 0]], "values": [[1, 1], [1, 1]]}, "stock"),
        ({"stock": [[1, 2]], "values": [[1, 1], [1, 1]]}, "stock"),
        ({"stock": [[1.5, 0], [0, 0]], "values": [[1, 1], [1, 1]]}, "stock"),
        ({"stock": [[1, 1], [1, 1]], "values": [[0, 1], [1, 1]]}, "=0 must be an integer from 1 to 40"),
        ({"stock": [[1, 1], [1, 1]], "values": [[True, True], [True, True]]}, "values"),
        ({"stock": [[1, 1], [1, 1]]}, "a level has 'stock' and 'values', not 'stock'"),
    )


def test_level_is_for_one_episode():
    level = {"stock": [[1, 2], [3, 4]], "values": [[5, 6], [7, 8]]}
    batch = kit.started(SimpleNegotiation(), level=level)
    assert SimpleNegotiation().get_level(batch.record()) == level
    batch.start()
    assert SimpleNegotiation().get_level(batch.record())["stock"] == [[10, 10], [10, 10]]


def test_text_and_scene_hide_the_other_values():
    """Two games that differ only in the other's values have the same picture and text; spectators see all."""
    world = SimpleNegotiation()
    texts, scenes, whole = [], [], []
    for other in ([15, 5], [40, 39]):
        batch = kit.started(world, level={"stock": [[10, 10], [10, 10]], "values": [[5, 15], other]})
        for move in ("say I prefer gold", "offer 2 gold for 3 wood", "accept", "offer 1 wood for 1 gold"):
            batch.step(NAMES.index(move))
        texts.append(world.text(batch.record(), 0))
        scenes.append(world.scene(batch.record(), 0).shapes)
        whole.append(world.scene(batch.record()).shapes)
    assert texts[0] == texts[1] and scenes[0] == scenes[1] and whole[0] != whole[1]
    assert "wood is worth 5, a unit of gold 15" in texts[0] and "player_1 offers 1 wood for 1 gold" in texts[0]


def test_messages():
    """Every move except a pass has a message."""
    moves = ["say I prefer gold", "offer 1 wood for 2 gold", "accept", "pass", "offer 3 wood for 1 gold", "deny"]
    moves += ["say I prefer wood", "say I prefer wood", "pass", "offer 1 wood for 1 gold"]
    told, before = [], []
    for t in range(len(moves) + 1):
        now = SimpleNegotiation().messages(run(moves[:t]).record())
        told += [(t, *message) for message in heard(before, now)]
        before = now
    assert told == [
        (1, 0, "I prefer gold"),
        (2, 1, "offers 1 wood for 2 gold"),
        (3, 0, "accepted the offer"),
        (5, 0, "offers 3 wood for 1 gold"),
        (6, 1, "denied the offer"),
        (7, 0, "I prefer wood"),
        (8, 1, "I prefer wood"),
        (10, 1, "offers 1 wood for 1 gold"),
    ]


def test_text():
    world = SimpleNegotiation()
    assert "player_0 last said: I prefer gold" in world.text(run(["say I prefer gold"]).record(), 1)
    assert "You denied the offer" in world.text(run(["offer 1 wood for 1 gold", "deny"]).record(), 1)
    assert "a draw" in world.text(run(["pass"] * 10).record(), 1)
    won = run(["offer 1 wood for 2 gold", "accept", *["pass"] * 8])
    assert all("player_0 gained more and wins" in world.text(won.record(), agent) for agent in range(2))
