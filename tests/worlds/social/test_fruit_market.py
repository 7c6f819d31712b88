"""FruitMarket: in lock-step with recorded episodes of Melting Pot, each rule by a probe, its maps and policies."""

from itertools import permutations

import numpy as np
import pytest
from avatar_play import cell, hall, lit, put_all, random_play, started, where
from kit import DATA, refuses
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.evaluation import metrics
from envsuite.generators import describe, generate_many, mutate
from envsuite.kit.avatars import BORDER, LIT, OWN, PLAYER
from envsuite.social.fruit_market import ACTIONS, APPLE, BARE, OFFER, OFFERS, RIPE, FruitMarket, partner
from envsuite.social.fruit_market.levels import SIZE

EAST, SOUTH, WEST, NORTH = range(4)
EPISODES = 6
#: Episodes in which the trades of a frame came before its harvests.
TRADES_FIRST = (1, 2, 4, 5)
PATH = DATA / "FruitMarket" / "fruit_market.npz"


def embedded(rows, parked):
    """A level with this map in its north-west corner, and agents that are not in it apart from it."""
    rows = [row.replace("p", "s").ljust(SIZE, "#") for row in rows]
    rows += ["#" * SIZE] * (SIZE - len(rows) - 2)
    return [*rows, "#" + ("s" * parked).ljust(SIZE - 1, "#"), "#" * SIZE]


def seen(batch):
    """(copies, agents, 12) what the file holds of the agents."""
    s, observed = batch.records, batch.observations
    wide = SIZE + 2 * BORDER
    every = np.arange(s["at"].shape[1])
    offers = observed["offers"]
    others = offers.any(axis=3)
    others[:, every, every] = False
    doing = observed["doing"][:, every, every]
    own = [
        s["at"] % wide - BORDER,
        s["at"] // wide - BORDER,
        s["facing"],
        observed["stamina"][:, every, every],
        observed["hunger"][..., 0],
        *np.moveaxis(observed["fruit"], 2, 0),
        *np.moveaxis(offers[:, every, every], 2, 0),
        others.sum(axis=2),
        doing != 2,
        doing,
    ]
    return np.stack(own, axis=2)


class Episode:
    """A recorded episode, and the same in a batch of one; `copies` play a frame that went differently."""

    def __init__(self, number, copies=64, players=None):
        with np.load(PATH) as file:
            parts = [file[f"{part}_{number}"] for part in ("map", "actions", "agents", "rewards", "ripe", "beams")]
        rows, self.actions, self.agents, self.rewards, ripe, beams = parts
        self.players = self.actions.shape[1]
        self.parked = (players or self.players) - self.players
        world, level = FruitMarket(players or self.players, horizon=10_000), embedded(rows.tolist(), self.parked)
        self.one, self.copies = (started(world, num, level) for num in (1, copies))
        self.trees = [
            cell(self.one, x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in "ab"
        ]
        self.ripe = np.unpackbits(ripe, axis=1)[:, : len(self.trees)]
        size = len(self.actions), len(rows), len(rows[0])
        self.beams = np.unpackbits(beams, axis=1)[:, : size[1] * size[2]].reshape(size)
        self.trades_first, self.weak = number in TRADES_FIRST, []

    def follow(self, frames=None):
        """Play the episode: places, facings, stamina, hunger, fruit, offers, looks, rewards, trees and beams."""
        parked = [(1 + k, SIZE - 2, EAST) for k in range(self.parked)]
        put_all(self.one, dict(enumerate([*self.agents[0, :, :3].tolist(), *parked])))
        assert (seen(self.one)[:, : self.players] == self.agents[0]).all() and self.ripe[0].all()
        for t in range(frames or len(self.actions)):
            before = self.one.records[0].copy()
            if not self.step(self.one, before, t).any():
                matches = np.flatnonzero(self.step(self.copies, before, t))
                assert len(matches), f"frame {t}: {self.actions[t]}\n{self.agents[t : t + 2]}\n{seen(self.copies)[0]}"
                self.one.records[0] = self.copies.records[matches[0]]
                self.one.observe()

    def step(self, batch, before, t):
        """Which worlds of a batch, of which all play frame t from this record on, come to what the file holds."""
        s = batch.records
        streams = s["rng"].copy()
        s[:] = before
        s["rng"] = streams
        players = np.arange(self.players)
        under = before["under"][: self.players]
        on = np.where(np.isin(under, RIPE), under - RIPE[0], -1)
        got = np.zeros(len(players), bool)
        for a in np.flatnonzero(on >= 0):
            k = self.trees.index(before["at"][a])
            got[a] = self.ripe[t, k] > self.ripe[t + 1, k]
        weak = (on >= 0) & (on != players % 2)
        assert got[(on >= 0) & ~weak].all()
        if batch is self.one:
            self.weak += got[weak].tolist()
        s["params"]["chances"] = (0 if self.trades_first else 1), got[weak].mean() if weak.any() else 0
        if self.trades_first:
            s["params"]["chances"] = 0
        batch.step((*self.actions[t].tolist(), *[0] * self.parked))
        same = (batch.rewards[:, : self.players] == self.rewards[t]).all(axis=1)
        if self.trades_first:
            for a in np.flatnonzero(got):
                give(s, a, int(before["at"][a]), int(on[a]))
            batch.observe()
        same &= (seen(batch)[:, : self.players] == self.agents[t + 1]).all(axis=(1, 2))
        same &= (np.isin(ground(batch)[:, self.trees], RIPE) == self.ripe[t + 1]).all(axis=1)
        beams = batch.world.state(s, None)[:, : self.beams.shape[1], : self.beams.shape[2]] >= LIT
        return same & (beams == self.beams[t]).all(axis=(1, 2))


def give(records, a, tree, fruit):
    """Let an agent harvest a tree that it may have left since."""
    for s in records:
        s["fruit"][a, fruit] += 2
        s["bare"][s["bare_count"]], s["wait"][s["bare_count"]] = tree, 50
        s["bare_count"] += 1
        code = int(s["cells"][tree]) & 127
        if PLAYER <= code < OWN:
            s["under"][(code - PLAYER) // 4] = BARE[fruit]
        else:
            s["cells"][tree] += BARE[0] - RIPE[0]


def ground(batch):
    """(copies, cells) the codes without agents."""
    codes = batch.records["cells"] & 127
    for i, s in enumerate(batch.records):
        codes[i, s["at"]] = s["under"]
    return codes


def test_melting_pot_in_lock_step():
    Episode(0, copies=16).follow(70)


@pytest.mark.slow
def test_all_episodes_of_melting_pot_in_lock_step():
    """An agent on a tree of the other fruit harvests with probability 0.04 there."""
    weak = []
    for number in range(EPISODES):
        episode = Episode(number, players=12)  # the same machine code for all
        episode.follow()
        weak += episode.weak
    assert len(weak) > 1000 and stats.binomtest(sum(weak), len(weak), 0.04).pvalue > 1e-3


def test_offers_are_those_of_melting_pot():
    """1 to 3 of a fruit for 1 or 2 of the other: its amounts are those of Python's range(-3, 3)."""
    assert OFFERS.tolist() == [[-3, 1], [-3, 2], [-2, 1], [-2, 2], [-1, 1], [-1, 2]] + [
        [wanted, given] for wanted in (1, 2) for given in (-3, -2, -1)
    ]
    assert len(ACTIONS) == 25 and ACTIONS[OFFER] == "offer 3 apples for 1 banana"
    assert ACTIONS[-1] == "offer 1 banana for 2 apples"


#: Agents in probes stand here unless they are placed elsewhere.
CORNER = [(1, 27, NORTH), (27, 27, NORTH), (1, 1, SOUTH), (27, 1, SOUTH)]


def bare(*agents, num=1, players=4, **things):
    """A hall with these agents, each (x, y, facing), the others in corners, and trees and a river by letter."""
    parameters = {name: things.pop(name) for name in list(things) if len(name) > 1 and name != "wall"}
    level = hall(SIZE, SIZE, "s" * players, **{"r": [], **things})
    batch = started(FruitMarket(players, **parameters), num, [row.replace("r", "~") for row in level])
    put_all(batch, dict(enumerate([*agents, *CORNER[len(agents) : players]])))
    return batch


def act(batch, *actions):
    """Play names of actions, of all others `noop`."""
    numbers = [ACTIONS.index(action) for action in actions]
    batch.step((*numbers, *[0] * (len(batch.world.agents) - len(numbers))))


def hold_stock(batch, *stocks):
    """Give agents apples and bananas."""
    for a, stock in enumerate(stocks):
        batch.records["fruit"][:, a] = stock


def values(batch, name, i=0):
    return batch.records[name][i].tolist()


def test_harvest():
    """Two fruits in the step after an agent has entered the tree, also if it walks on; then 50 steps without fruit."""
    batch = bare((5, 5, EAST), a=[(6, 5)])
    act(batch, "forward")
    assert values(batch, "fruit")[0] == [0, 0] and batch.observations["ground"][0, 0, 0] == RIPE[APPLE]
    act(batch, "forward")
    assert values(batch, "fruit")[0] == [2, 0] and where(batch, 0) == (7, 5)
    assert batch.world.state(batch.records, None)[0, 5, 6] == BARE[APPLE] and values(batch, "harvests")[0] == [2, 0]
    for _ in range(49):
        act(batch)
        assert batch.world.state(batch.records, None)[0, 5, 6] == BARE[APPLE]
    act(batch)
    assert batch.world.state(batch.records, None)[0, 5, 6] == RIPE[APPLE]


def test_trees_grow_under_agents():
    """An agent that stays on its tree harvests again, in the step after that in which the tree has fruit again."""
    batch = bare((5, 5, EAST), a=[(6, 5)], regrowth=3)
    act(batch, "forward")
    found = []
    for _ in range(9):
        act(batch)
        found.append((values(batch, "fruit")[0][0], int(batch.observations["ground"][0, 0, 0])))
    assert found == [(2, 6), (2, 6), (2, 6), (2, 3), (4, 6), (4, 6), (4, 6), (4, 3), (6, 6)]


@pytest.mark.parametrize(("agent", "letter"), [(0, "a"), (0, "b"), (1, "b"), (1, "a")])
def test_who_harvests_what(agent, letter):
    """Agents with even numbers farm apples, those with odd numbers bananas."""
    batch = bare((5, 5, EAST), (5, 8, EAST), other_chance=0.0, **{letter: [(6, 5), (6, 8)]})
    act(batch, "forward", "forward")
    act(batch)
    assert values(batch, "fruit")[agent] == ([[2, 0], [0, 2]][agent] if letter == "ab"[agent] else [0, 0])


def test_meals():
    """1 for the own fruit, 8 for the other, nothing without fruit; a meal ends hunger."""
    batch = bare(players=2)
    hold_stock(batch, (1, 1), (1, 1))
    act(batch, "eat apple", "eat apple")
    assert batch.rewards[0].tolist() == [1, 8] and batch.observations["hunger"][0].tolist() == [[0], [0]]
    act(batch, "eat banana", "eat apple")
    assert batch.rewards[0].tolist() == [8, 0] and batch.observations["hunger"][0].tolist() == [[0], [1]]
    assert values(batch, "meals") == [[1, 1], [1, 0]] and values(batch, "fruit") == [[0, 0], [0, 1]]


def test_hunger():
    """From the 50th step without a meal on, rest restores nothing."""
    batch = bare(players=2)
    batch.records["stamina"][:] = 9
    batch.records["fed"][:] = 48
    hold_stock(batch, (0, 0), (0, 1))
    seen = []
    for k in range(4):
        act(batch, "noop", "eat banana" if k == 1 else "noop")
        seen.append(values(batch, "stamina"))
    assert seen == [[10, 10], [10, 11], [10, 12], [10, 13]]


def test_walks_and_rest():
    """Every second walk costs 1, blocked ones too, rest between them or not; turns and meals are rest, not on trees."""
    batch = bare((5, 5, EAST), (9, 9, EAST), a=[(9, 9)], wall=[(6, 5)])
    stamina = []
    for action in ("forward", "forward", "turn left", "forward", "eat apple", "backward", "noop"):
        act(batch, action)
        stamina.append(values(batch, "stamina")[0])
    assert stamina == [18, 17, 18, 18, 18, 17, 18]
    batch.records["stamina"][:, 1] = 9
    act(batch, "noop", "turn left")
    assert values(batch, "stamina")[1] == 9


def test_rivers():
    """1 in each step that begins there, after rest has restored 1."""
    batch = bare((5, 5, EAST), r=[(6, 5), (7, 5)])
    stamina = []
    for action in ("forward", "noop", "noop", "forward", "forward", "noop"):
        act(batch, action)
        stamina.append(values(batch, "stamina")[0])
    assert stamina == [18, 17, 17, 15, 14, 15]
    batch = bare((5, 5, EAST), r=[(5, 5)])
    batch.records["tired"][:, 0] = 5  # also in a freeze
    act(batch)
    assert values(batch, "stamina")[0] == 17


@pytest.mark.parametrize(("stamina", "steps"), [(0, 6), (1, 6), (2, 2), (7, 2), (8, 0), (18, 0)])
def test_freezes(stamina, steps):
    """After a walk that leaves 0, 6 steps; 1 to 6, 2 steps; in these, neither walks nor rest count."""
    batch = bare((5, 5, EAST))
    batch.records["stamina"][:, 0] = stamina
    batch.records["half"][:, 0] = 1
    act(batch, "forward")
    left = values(batch, "stamina")[0]
    assert where(batch, 0) == (6, 5) and left == max(stamina - 1, 0)
    for _ in range(steps):
        act(batch, "forward")
        assert where(batch, 0) == (6, 5) and values(batch, "stamina")[0] == left
    act(batch, "forward")
    assert where(batch, 0) == (7, 5)


def test_offers_are_public_while_they_can_be_kept():
    """Seen within a distance of 4, also from behind; they stand until they are cancelled or another one is made."""
    batch = bare((5, 5, NORTH), (5, 9, NORTH), (9, 9, NORTH), (5, 1, SOUTH))
    hold_stock(batch, (2, 0), (0, 3), (9, 9), (9, 9))
    act(batch, "offer 2 apples for 2 bananas", "offer 1 banana for 1 apple", "offer 3 apples for 2 bananas")
    offers = batch.observations["offers"][0].tolist()
    assert offers[0] == [[-2, 2], [1, -1], [0, 0], [0, 0]] and offers[3][0] == [-2, 2]
    assert offers[1] == [[-2, 2], [1, -1], [-3, 2], [0, 0]]
    act(batch, "eat apple")
    assert batch.observations["offers"][0, 0, 0].tolist() == [0, 0] and values(batch, "offer")[0] == [-2, 2]
    act(batch, "noop", "cancel offer", "offer 3 apples for 1 banana")
    assert values(batch, "offer") == [[-2, 2], [0, 0], [-3, 1], [0, 0]]


@pytest.mark.parametrize(
    ("one", "other", "gains"),
    [
        ("1 apple for 1 banana", "1 banana for 1 apple", (-1, 1)),
        ("3 apples for 1 banana", "2 bananas for 1 apple", (-1, 1)),
        ("3 apples for 2 bananas", "3 bananas for 1 apple", (-1, 2)),
        ("2 apples for 1 banana", "1 banana for 2 apples", (-2, 1)),
        ("1 apple for 2 bananas", "1 banana for 1 apple", None),
        ("1 apple for 1 banana", "3 bananas for 2 apples", None),
        ("1 apple for 1 banana", "1 apple for 1 banana", None),
    ],
)
def test_trades(one, other, gains):
    """Each gets what it wants if the other gives that or more; the numbers that are smaller change hands."""
    batch = bare((5, 5, NORTH), (5, 9, NORTH))
    hold_stock(batch, (5, 5), (5, 5))
    act(batch, "offer " + one, "offer " + other)
    apples, bananas = gains or (0, 0)
    assert values(batch, "fruit")[:2] == [[5 + apples, 5 + bananas], [5 - apples, 5 - bananas]]
    assert (values(batch, "offer")[:2] == [[0, 0], [0, 0]]) == (gains is not None)
    assert values(batch, "trades") == [int(gains is not None)] * 2 + [0, 0]
    assert values(batch, "exchanged") == [[abs(apples), abs(bananas)], [0, 0], [0, 0], [0, 0]]


def test_trades_happen_where_agents_stood():
    """Agents trade before they walk, within 4 cells: (3, 3) is too far."""
    for place_, trades in (((9, 5), 1), ((10, 5), 0), ((8, 8), 0), ((7, 8), 1)):
        batch = bare((5, 5, EAST), (*place_, WEST))
        hold_stock(batch, (1, 0), (0, 1))
        act(batch, "noop", "offer 1 banana for 1 apple")
        batch.records["offer"][:, 0] = -1, 1
        act(batch, "forward")
        assert values(batch, "trades")[0] == trades
    batch = bare((26, 20, EAST), (24, 20, WEST))
    hold_stock(batch, (2, 0), (0, 2))
    act(batch, "offer 2 apples for 1 banana", "offer 2 bananas for 1 apple")
    assert values(batch, "exchanged") == [[0, 0], [0, 0], [0, 0], [1, 1]]


def test_partners_are_random():
    """A seller takes each of two equal buyers half of the time."""
    batch = bare((5, 5, EAST), (6, 5, WEST), (20, 20, EAST), (5, 6, NORTH))
    hold_stock(batch, (1, 0), (0, 1), (0, 1), (0, 1))
    batch.records["offer"] = [(-1, 1), (1, -1), (1, -1), (1, -1)]
    s = batch.record()
    found = [int(partner(s, 0)) for _ in range(200)]
    assert set(found) == {1, 3} and stats.binomtest(found.count(1), 200).pvalue > 1e-3


def test_harvests_come_before_trades():
    batch = bare((6, 5, EAST), (6, 7, EAST), a=[(6, 5)])
    hold_stock(batch, (0, 0), (0, 1))
    act(batch, "offer 2 apples for 1 banana", "offer 1 banana for 2 apples")
    assert values(batch, "fruit")[:2] == [[0, 1], [2, 0]]


def outcomes(stocks, offers, distances):
    """All (stocks, offers) that trades can lead to by Melting Pot's rules, over all orders and choices of partners."""

    def public(state, a):
        (stock, offer), (apples, bananas) = state, state[1][a]
        return offer[a] if apples * bananas < 0 and min(s + o for s, o in zip(stock[a], offer[a])) >= 0 else (0, 0)

    def suits(mine, other):
        return all(m + o <= 0 for m, o in zip(mine, other) if m > 0)

    def partners(state, a):
        near = [b for b in range(len(stocks)) if distances[a][b] <= 4]
        offered = {b: public(state, b) for b in near if any(public(state, b))}
        good = {b: o for b, o in offered.items() if suits(state[1][a], o) and suits(o, state[1][a])}
        return [b for b, o in good.items() if not any(p != o and p[0] <= o[0] and p[1] <= o[1] for p in good.values())]

    found = set()
    for order in permutations(range(len(stocks))):
        states = {(stocks, offers)}
        for a in order:
            after = set()
            for state in states:
                pairs = partners(state, a) if any(public(state, a)) else []
                pairs = [b for b in pairs if a in partners(state, b)]
                after |= {swapped(state, a, b) for b in pairs} or {state}
            states = after
        found |= states
    return found


def swapped(state, a, b):
    stock, offer = ([list(pair) for pair in part] for part in state)
    for f in range(2):
        gain = offer[a][f] if offer[a][f] > 0 else -offer[b][f]
        stock[a][f] += gain
        stock[b][f] -= gain
    offer[a] = offer[b] = [0, 0]
    return tuple(map(tuple, stock)), tuple(map(tuple, offer))


def test_all_trades():
    """Four agents with random places, fruit and offers: only outcomes that an enumeration finds, and most of these."""
    chance, batch = np.random.default_rng(4), bare(num=5)
    reached = possible = 0
    for k in range(24):
        spots = [(int(x), int(y)) for x, y in chance.permutation([(x, y) for x in (5, 6, 8) for y in (5, 7, 9)])[:4]]
        put_all(batch, {a: (x, y, NORTH) for a, (x, y) in enumerate(spots)})
        stocks = tuple(map(tuple, chance.integers(1, 6, (4, 2)).tolist()))
        some = chance.choice([2, 4], 2), chance.choice([7, 8], 2)  # more than one partner is possible
        chosen = np.concatenate(some).tolist() if k % 2 else (chance.integers(6, size=4) + [0, 0, 6, 6]).tolist()
        batch.records["fruit"] = stocks
        batch.records["offer"] = 0
        batch.step(tuple(OFFER + k for k in chosen))
        distances = [[np.hypot(x - i, y - j) for i, j in spots] for x, y in spots]
        wanted = outcomes(stocks, tuple(tuple(OFFERS[k].tolist()) for k in chosen), distances)
        found = {
            (tuple(map(tuple, values(batch, "fruit", i))), tuple(map(tuple, values(batch, "offer", i))))
            for i in range(5)
        }
        assert found <= wanted
        reached, possible = reached + len(found), possible + len(wanted)
    assert possible > 25 and reached > 0.9 * possible, (possible, reached)


def test_hold():
    """The first agent within two cells; both stay for a step, and the one that is held cannot hold in it."""
    batch = bare((5, 5, EAST), (7, 5, WEST))
    act(batch, "hold", "noop")
    assert lit(batch) == {(6, 5)} and batch.observations["doing"][0, 0].tolist() == [1, 2, 0, 0]
    act(batch, "forward", "hold")
    assert where(batch, 0) == (5, 5) and not lit(batch)
    assert batch.observations["doing"][0, 0].tolist() == [0, 2, 0, 0]
    act(batch, "turn left", "turn left")
    assert batch.observations["doing"][0, 0].tolist() == [0, 0, 0, 0]
    assert values(batch, "facing")[:2] == [NORTH, SOUTH]


def test_holds_find_agents_where_they_have_walked():
    batch = bare((5, 5, EAST), (7, 4, SOUTH))
    act(batch, "hold", "forward")
    assert where(batch, 1) == (7, 5) and values(batch, "grip")[:2] == [0, 2]
    batch = bare((5, 5, EAST), (8, 5, EAST), (7, 5, EAST), wall=[(6, 6)])
    act(batch, "hold")
    assert values(batch, "grip") == [0, 0, 2, 0] and values(batch, "still") == [2, 0, 2, 0]


def test_a_hold_shortens_a_freeze():
    """Both use the same counter in Melting Pot."""
    batch = bare((5, 5, EAST), (7, 5, NORTH))
    batch.records["still"][:, 1] = batch.records["tired"][:, 1] = 6
    act(batch, "hold")
    act(batch, "noop", "forward")
    assert where(batch, 1) == (7, 5)
    act(batch, "noop", "forward")
    assert where(batch, 1) == (7, 4)


def test_shove_and_pull():
    """They hold, and move whom anybody holds, as its holder faces or back, if there is room; a miss shows as a hold."""
    batch = bare((5, 5, EAST), (7, 5, NORTH))
    act(batch, "shove")
    assert where(batch, 1) == (8, 5) and values(batch, "facing")[1] == NORTH and values(batch, "grip")[1] == 2
    batch = bare((5, 5, EAST), (7, 5, NORTH))
    act(batch, "pull")
    assert where(batch, 1) == (6, 5) and lit(batch) == {(6, 5)}
    act(batch, "pull")
    assert where(batch, 1) == (6, 5)
    batch = bare((5, 5, EAST), (6, 5, NORTH), wall=[(7, 5)])
    act(batch, "shove")
    assert where(batch, 1) == (6, 5)
    batch = bare((5, 5, EAST), (9, 5, NORTH))
    act(batch, "shove")
    assert lit(batch) == {(6, 5), (7, 5)} and batch.observations["doing"][0, 0, 0] == 1


def test_beams_stay_where_agents_were_moved():
    """Whoever holds last, one act moves the agent onto a beam and the other one back."""
    batch = bare((5, 5, EAST), (9, 5, WEST), (7, 5, NORTH), num=4)
    act(batch, "shove", "pull")
    for i in range(4):
        assert where(batch, 2, i) == (7, 5) and {(6, 5), (8, 5)} == lit(batch, i)


def test_whom_others_hold():
    """A shove ends at walls and a pull does not; both move in the direction of the one that holds."""
    for action, there in (("shove", (7, 5)), ("pull", (7, 6))):
        batch = bare((5, 5, EAST), (7, 7, NORTH), (7, 5, EAST), wall=[(6, 5)])
        act(batch, action, "hold")
        assert where(batch, 2) == there
    batch = bare((5, 5, EAST), (6, 7, NORTH), (6, 5, EAST), (7, 5, EAST))
    act(batch, "noop", "hold", "noop", "shove")  # the fourth one faces away
    assert where(batch, 2) == (6, 5)


def test_starts_maps_and_generator():
    """Starts on every second cell of a court; three rivers or none; trees as likely as they should be."""
    for form, rivers in (("rivers", 3), ("open", 0)):
        levels = generate_many("groves", 12, seed=0, form=form)
        facts = [describe(level) for level in levels]
        assert len({tuple(level["map"]) for level in levels}) == 12
        assert all(fact["solvable"] and fact["starts"] >= 24 for fact in facts)
        land = sum(27 * 27 - fact["river"] for fact in facts)
        for kind in ("apples", "bananas"):
            assert stats.binomtest(sum(fact[kind] for fact in facts), land, 0.05).pvalue > 1e-4
        for level, fact in zip(levels, facts):
            middle = level["map"][SIZE // 2]
            assert (fact["river"] > 0) == (fact["difficulty"] > 0) == (rivers > 0)
            assert middle[: SIZE // 2].count("~") == middle[SIZE // 2 :].count("~") == rivers
            assert mutate(level, seed=1) != level
    batch = started(FruitMarket(16), 2)
    for i in range(2):
        level = batch.world.get_level(batch.record(i))["map"]
        assert {level[y][x] for x, y in (where(batch, a, i) for a in range(16))} <= set("sAB")


def test_levels_are_refused():
    rows = hall(SIZE, SIZE, "ssss")
    refuses(
        FruitMarket(5),
        ({"map": rows}, "4 starts"),
        ({"map": rows[1:]}, "29 texts"),
        ({"map": ["." + row[1:] for row in rows]}, "walls"),
        ({"map": [row.replace("s", "x") for row in rows]}, "'x'"),
    )
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "groves", "map": rows, "x": 1})


def test_words():
    env = envsuite.make_parallel("FruitMarket", players=2)
    level = hall(SIZE, SIZE, "ss", a=[(5, 5)])
    env.reset(seed=0, options={"level": {"map": level}})
    put_all(env.batch, {0: (5, 6, NORTH), 1: (5, 4, SOUTH)})
    env.batch.records["fruit"][:] = (3, 1), (0, 1)
    env.step({"player_0": ACTIONS.index("offer 3 apples for 2 bananas"), "player_1": ACTIONS.index("hold")})
    words = env.text("player_0")
    assert "You farm apples and have 3 apples and 1 banana. Your offer: 3 apples for 2 bananas." in words
    assert "1 turn since you ate" in words and "Apple trees: 1 ahead" in words
    assert "player_1 farms bananas, stamina 13 or more, holding" in words and "within reach: none" in words
    assert "player_0 gives 3 apples for 2 bananas" in env.text("player_1")
    assert len(env.scene().shapes) > 50


def test_agents_in_the_same_condition_are_told_at_once():
    batch = started(FruitMarket(4), 1, hall(SIZE, SIZE, "ssss"))
    put_all(batch, {0: (5, 6, NORTH), 1: (5, 4, SOUTH), 2: (4, 4, SOUTH), 3: (6, 4, SOUTH)})
    told = "player_1 and player_3 farm bananas, stamina 13 or more; player_2 farms apples, stamina 13 or more."
    assert told in batch.world.text(batch.record(), 0)


def test_metrics():
    """Two apples for four bananas cost 2 each; harvests of (4, 0) and (1, 3) are one-sided by 1 and 1/2."""
    assert metrics.exchange_rate([[2, 4], [0, 0]]).tolist()[0] == 2 and np.isnan(metrics.exchange_rate([0, 0]))
    assert metrics.specialisation([(4, 0), (1, 3), (0, 0)]) == 0.75 and np.isnan(metrics.specialisation([(0, 0)]))


@pytest.mark.slow
def test_policies():
    """Traders get more than loners, loners more than farmers, and farmers more than random agents."""
    envs = envsuite.make_vec("FruitMarket", 8)
    returns = []
    for name in ("random", "farmer", "loner", "trader"):
        envs.reset(seed=0)
        returns.append(envs.rollout(name, 1000, seed=0).returns.mean())
    assert returns[1] > 2 * returns[0] and returns[2] > 2 * returns[1] and returns[3] > 1.3 * returns[2]
    envs.reset(seed=1)
    envs.rollout("trader", 500, seed=1)
    records = envs.batch.records
    assert (metrics.specialisation(records["harvests"]) > 0.8).all() and records["exchanged"].sum() > 1000


@pytest.mark.slow
def test_random_play():
    """Melting Pot's random play: 328 +- 30 in all, 12 episodes of 1000 steps; 338 +- 9 here on its map."""
    mean, error = random_play("FruitMarket", 64)
    assert abs(mean - 328) < 3 * np.hypot(error, 30)
    assert abs(mean - 341) < 3 * np.hypot(error, 9)


@pytest.mark.parametrize("radius", [2, 6])
def test_radius_is_a_parameter(radius):
    for distance, near in ((radius, 1), (radius + 1, 0)):
        batch = bare((5, 5, NORTH), (5 + distance, 5, NORTH), radius=radius)
        hold_stock(batch, (1, 0), (0, 1))
        act(batch, "offer 1 apple for 1 banana", "offer 1 banana for 1 apple")
        assert values(batch, "trades") == [near, near, 0, 0]


def test_treat_and_own_chance_are_parameters():
    batch = bare(players=2, treat=5.5)
    hold_stock(batch, (1, 1), (1, 1))
    act(batch, "eat banana", "eat apple")
    assert batch.rewards[0].tolist() == [5.5, 5.5]
    batch = bare((5, 5, EAST), a=[(6, 5)], num=1000, own_chance=0.3)
    act(batch, "forward")
    act(batch)
    harvested = (batch.records["fruit"][:, 0, 0] == 2).mean()
    assert abs(harvested - 0.3) < 5 * (0.21 / 1000) ** 0.5


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_apple_trees_are_a_parameter(share):
    batch = started(FruitMarket(2, apple_trees=share, banana_trees=0.0), 20)
    maps = "".join("".join(batch.world.get_level(batch.record(i))["map"]) for i in range(20))
    land = maps.count("a") + maps.count(".")
    assert maps.count("b") == 0 and abs(maps.count("a") - share * land) <= 5 * (share * (1 - share) * land) ** 0.5
