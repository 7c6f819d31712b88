import json
from collections import Counter

import kit
import numpy as np
import pytest
from kit import DATA, legal, started
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.chance import Explorer
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.evaluation import matches, metrics
from envsuite.render.page import heard
from envsuite.social.fishery import Fishery
from envsuite.social.fishery.rules import ACCUSE, AGREE, ANNOUNCE, ARRIVAL, ASK, END, PASS, PROPOSE

# Made by driving the environment classes of giorgiopiatti/GovSim, commit 1d11adf, without language models:
# "rows" are the policies of the table below, "episodes" random requests, "shortage" 20,000 months of shortage.
REFERENCE = json.loads((DATA / "Fishery" / "govsim_reference.json").read_text())


def fishery(**params):
    world = Fishery(**params)
    world.id = "envsuite/Fishery-v0"
    return world


def step(batch, *actions):
    """One transition of all records; a name stands for the speaker's action."""
    if isinstance(actions[0], str):
        batch.actions[:] = batch.world.action_names[0].index(actions[0])
    else:
        batch.actions[:] = actions[0] if len(actions) == 1 and np.ndim(actions[0]) else np.array(actions)
    batch.step(where=~batch.finished)


def close_meeting(batch):
    if (batch.records["phase"] == 1).any():
        step(batch, "end meeting")


def play(world, choose, num=1, seed=0, level=None):
    """Harvest after harvest, meetings ended at once; catches (T, N, A), thresholds (T, N), stocks before (T, N)."""
    batch = started(world, num, seed, level)
    players = len(world.agents)
    catches, thresholds, stocks = [], [], []
    while not batch.over().all():
        s = batch.record(0)
        stock, month = int(s.stock), int(s.month)
        assert (batch.records["stock"] == stock).all() and not (batch.records["phase"] == 1).any()
        share = stock // 2 // players  # growth 2, everyone there
        requests = [min(choose(month, stock, share, agent), stock) for agent in range(players)]
        stocks.append(np.full(num, stock))
        thresholds.append(np.full(num, share))
        step(batch, *requests)
        catches.append(batch.rewards.copy())
        close_meeting(batch)
    return batch, np.array(catches), np.array(thresholds), np.array(stocks)


# Columns: how the policy asks, months survived, gain, efficiency, equality, over-usage (%); None: scatters.
# Source: closed forms of GovSim's rules, confirmed (survival, gains, stocks) by its own environment code.
ROWS = {
    "10 each": (lambda month, stock, share, agent: 10, 12, [120] * 5, 100, 100, 0),
    "f": (lambda month, stock, share, agent: share, 12, [120] * 5, 100, 100, 0),
    "20 each": (lambda month, stock, share, agent: 20, 1, [20] * 5, 100 / 6, 100, 100),
    "15 each": (lambda month, stock, share, agent: 15, 2, [25] * 5, 125 / 6, 100, 100),
    "12 each": (lambda month, stock, share, agent: 12, 3, [32] * 5, 80 / 3, 100, 100),
    "11 each": (lambda month, stock, share, agent: 11, 4, [39] * 5, 32.5, 100, 100),
    "4 x 10, 1 x 20": (lambda month, stock, share, agent: 20 if agent == 4 else 10, 3, None, 80 / 3, None, 220 / 3),
    "4 x f, 1 x R/5": (
        lambda month, stock, share, agent: stock // 5 if agent == 4 else share,
        12,
        [52, 52, 52, 52, 106],
        100 * 314 / 600,
        100 * (1 - 432 / 3140),
        20,
    ),
    "f/2": (lambda month, stock, share, agent: share // 2, 12, [60] * 5, 50, 100, 0),
    "f, R/5 last": (
        lambda month, stock, share, agent: stock // 5 if month == 11 else share,
        12,
        [130] * 5,
        100,
        100,
        25 / 3,
    ),
}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name", ROWS)
def test_the_validation_table(name):
    choose, months, gains, efficiency, equality, over_usage = ROWS[name]
    batch, catches, thresholds, stocks = play(fishery(rationing="proportional"), choose, num=16)
    returns = catches.sum(axis=0)
    assert (batch.records["month"] == months).all() and len(catches) == months
    assert metrics.survival_rate(batch.records["month"], 12) == (months == 12)
    assert 100 * metrics.efficiency(returns, 600) == pytest.approx(efficiency)
    over = metrics.over_usage(catches.transpose(1, 0, 2), thresholds.T)
    assert 100 * over == pytest.approx(over_usage)
    if gains is not None:
        assert (returns == gains).all()
        assert 100 * metrics.equality(returns) == pytest.approx(equality)
    else:
        # 40 units for 10, 10, 10, 10, 20: shares 6.67 and 13.33; whole units leave three, which are drawn.
        assert (returns.sum(axis=1) == 160).all()
        assert np.isin(returns[:, 4], 20 + 20 + 13 + np.arange(4)).all() and (returns[:, :4] >= 10 + 10 + 6).all()
        # The table's 86.67 % is that of the shares before rounding.
        exact = np.array([10 + 10 + 20 / 3] * 4 + [20 + 20 + 40 / 3])
        assert 100 * metrics.equality(exact) == pytest.approx(100 - 40 / 3)
    # Rationed unit by unit, single gains scatter but nothing else changes, so the totals are the table's.
    batch, catches, _, stochastic_stocks = play(fishery(), choose, num=16)
    assert (stochastic_stocks == stocks).all() and (batch.records["month"] == months).all()
    assert metrics.efficiency(catches.sum(axis=0), 600) * 100 == pytest.approx(efficiency)
    for rationing in ("stochastic", "proportional"):
        row = REFERENCE["rows"][f"{name}|{rationing}"]
        assert row["survival"] == months and row["stocks"] == stocks[:, 0].tolist()
        assert sum(row["total"]) == catches[:, 0].sum()


def test_the_stock_path_of_one_who_takes_a_fifth():
    # Closed form; confirmed by GovSim's environment code.
    _, _, _, stocks = play(fishery(), ROWS["4 x f, 1 x R/5"][0])
    assert stocks[:, 0].tolist() == [100, 80, 64, 56, 50, 40, 32, 28, 30, 24, 24, 24]


@pytest.mark.parametrize("k", range(len(REFERENCE["episodes"])))
def test_episodes_are_govsims(k):
    episode = REFERENCE["episodes"][k]
    world = fishery(newcomer=episode["newcomer"], rationing=episode["rationing"], universalization=True)
    batch = started(world)
    total = np.zeros(5)
    for month, expected in enumerate(episode["months"]):
        observation = batch.observations[0]
        assert observation["stock"][0, 0] == expected["stock"] and observation["month"][0, 0] == month
        # GovSim states 10 in the first month whatever the number of villagers.
        stated = 12 if episode["newcomer"] and month == 0 else expected["threshold"]
        present = len(expected["requests"])
        assert observation["threshold"][:present, 0].tolist() == [stated] * present
        assert batch.acting[0].astype(bool).tolist() == [a < present for a in range(5)]
        step(batch, *(expected["requests"] + [0] * (5 - present)))
        if sum(expected["requests"]) <= expected["stock"]:
            assert batch.rewards[0, :present].tolist() == expected["catches"]
        else:
            assert batch.rewards[0].sum() == sum(expected["catches"]) == expected["stock"]
        assert batch.records["stock"][0] == expected["left"]
        assert not batch.over()[0]
        total += batch.rewards[0]
        close_meeting(batch)
        assert batch.over()[0] == (month == len(episode["months"]) - 1)
    assert batch.terminations[0].all() and not batch.truncations[0].any()
    assert (batch.records["gains"][0] == total).all()


@pytest.mark.parametrize("rationing", ["stochastic", "proportional"])
def test_rationing_is_govsims(rationing):
    reference = REFERENCE["shortage"][rationing]
    requests, stock = reference["requests"], reference["stock"]
    batch = started(fishery(rationing=rationing), 20_000, seed=5, level={"stock": stock})
    step(batch, *requests)
    catches = batch.rewards
    assert (catches.sum(axis=1) == stock).all() and (catches <= requests).all()
    # Both sides are means of 20,000 months.
    error = np.array(reference["deviation"]) * np.sqrt(1 / len(catches) + 1 / reference["months"])
    assert (np.abs(catches.mean(axis=0) - reference["mean"]) < 4.5 * error).all()
    assert catches.std(axis=0) == pytest.approx(reference["deviation"], rel=0.05)


def test_one_unit_goes_to_each_with_equal_chance():
    batch = started(fishery(collapse=0), 10_000, level={"stock": 1})
    step(batch, 1, 1, 1, 1, 1)
    assert (batch.rewards.sum(axis=1) == 1).all()
    assert stats.chisquare(batch.rewards.sum(axis=0)).pvalue > 1e-4


def test_proportional_shares_are_floors_and_a_remainder():
    rng = np.random.default_rng(3)
    batch = kit.started(fishery(rationing="proportional"), 2000)
    requests = rng.integers(0, 101, (2000, 5))
    batch.step(requests)
    short = requests.sum(axis=1) > 100
    assert short.mean() > 0.9
    assert (batch.rewards[~short] == requests[~short]).all()
    shares, asked = batch.rewards[short], requests[short]
    exact = 100 * asked / asked.sum(axis=1, keepdims=True)
    floors = 100 * asked // asked.sum(axis=1, keepdims=True)
    assert (shares.sum(axis=1) == 100).all()
    assert (shares >= floors).all() and (shares <= asked).all()
    # Who is not rounded down gets nothing more; what is left over is fewer units than villagers.
    assert (shares[exact == floors] == floors[exact == floors]).all()
    assert ((shares - floors).sum(axis=1) < 5).all()


def test_rationing_of_equal_requests():
    """Pro rata, each of five gets a fifth; a newcomer that is away neither asks nor gets."""
    batch = started(fishery(rationing="proportional"))
    step(batch, 40, 40, 40, 40, 40)
    assert batch.rewards[0].tolist() == [20, 20, 20, 20, 20]
    batch = started(fishery(newcomer=True))
    assert batch.observations["stock"][0, :, 0].tolist() == [100, 100, 100, 100, -1]
    step(batch, 26, 25, 25, 25, 99)
    assert batch.rewards[0].sum() == 100 and batch.rewards[0, 4] == 0 and batch.record(0).stock == 0


def test_exact_chance():
    # Two ask for 2 each of 3 units: the first two go to one villager with 1/2, then the third to the other;
    # or to both, then the third to either. For 3 and 1, the second is left out with 1/8.
    world = fishery(players=2, capacity=3, stock=3, collapse=0, horizon=2, max_utterances=2)
    explorer = Explorer(world)
    (start,) = explorer.starts()
    for requests, expected in (((2, 2), {(2, 1): 1 / 2, (1, 2): 1 / 2}), ((3, 1), {(3, 0): 1 / 8, (2, 1): 7 / 8})):
        chances = Counter()
        for outcome in explorer.successors(start.record, requests):
            chances[tuple(outcome.rewards.astype(int).tolist())] += outcome.probability
        assert chances == pytest.approx(expected)


def test_the_month_ends_as_in_the_rules():
    # Below `collapse` the end comes before growth, after the meeting; at `collapse` it does not come.
    for asked, left, over in ((19, 5, False), (20, 0, True)):
        batch = started(fishery())
        step(batch, asked, asked, asked, asked, asked)
        assert not batch.over()[0]  # also a collapse is talked about, as in GovSim
        close_meeting(batch)
        assert batch.over()[0] == over and batch.record(0).stock == (left if over else 2 * left)
    batch = started(fishery(growth=1.5, language=False))
    step(batch, 9, 10, 10, 10, 10)
    assert batch.record(0).stock == 76  # floor(1.5 * 51)
    assert batch.record(0).history.tolist() == [[100, 51], [76, -1], *[[-1, -1]] * 10]


@pytest.mark.parametrize("growth, left, stock", [(1.14, 50, 57), (1.16, 25, 29), (1.4, 45, 63), (3.0, 40, 100)])
def test_the_stock_grows_by_decimals(growth, left, stock):
    """Rounded down, but not where the exact product is a whole number that binary fractions miss."""
    batch = started(fishery(growth=growth, language=False))
    step(batch, 100 - left, 0, 0, 0, 0)
    assert batch.record(0).stock == stock


@pytest.mark.parametrize("growth", [1.0, 1.1, 1.25, 1.5, 2.0, 3.0])
def test_the_threshold_is_the_largest_equal_harvest_that_grows_back(growth):
    world = fishery(growth=growth, universalization=True, language=False, collapse=0)
    batch = kit.started(world, 100, level=[{"stock": i + 1} for i in range(100)])
    for stock, share in enumerate(batch.observations["threshold"][:, 0, 0].tolist(), 1):
        regrown = lambda harvest: int(growth * (stock - harvest) + 1e-9)  # noqa: E731, B023
        largest = max(harvest for harvest in range(stock + 1) if regrown(harvest) >= stock)
        assert share == largest // 5
    # Without the hint nobody is told.
    batch = started(fishery())
    assert (batch.observations["threshold"] == -1).all()


def test_requests_are_sealed():
    # Harvesting is one simultaneous transition: whatever others ask for, nothing of it is seen before, and of it
    # afterwards only what they got.
    first, second = started(fishery(public_catch=False)), started(fishery(public_catch=False))
    step(first, 3, 10, 20, 0, 0)
    step(second, 3, 20, 10, 0, 0)
    assert first.observations[0, 0].tobytes() == second.observations[0, 0].tobytes()
    assert first.observations[0, 1].tobytes() != second.observations[0, 1].tobytes()
    assert first.world.text(first.record(0), 0) == second.world.text(second.record(0), 0)
    # In a shortage the others' requests stay hidden where their catches are public.
    seen = set()
    for seed, request in ((0, 99), (1, 100)):
        batch = started(fishery(rationing="proportional"), seed=seed)
        step(batch, 0, request, 0, 0, request)
        assert batch.observations["catches"][0, 0].tolist() == [0, 50, 0, 0, 50]
        seen.add(batch.observations[0, 0].tobytes())
    assert len(seen) == 1


def test_public_catches_and_the_announcement():
    batch = started(fishery())
    assert (batch.observations["catches"] == -1).all() and (batch.observations["request"] == -1).all()
    step(batch, 1, 2, 3, 4, 5)
    assert (batch.observations["catches"] == [1, 2, 3, 4, 5]).all()
    assert batch.observations["messages"][0, 3, 0].tolist() == [5, ANNOUNCE, -1]
    assert batch.observations["request"][0, :, 0].tolist() == [1, 2, 3, 4, 5]
    private = started(fishery(public_catch=False))
    step(private, 1, 2, 3, 4, 5)
    assert (private.observations["catches"] == -1).all() and (private.observations["messages"] == -1).all()
    # The announcement is one of the ten utterances.
    for meeting, spoken in ((batch, 9), (private, 10)):
        for _ in range(spoken):
            assert meeting.record(0).phase == 1
            step(meeting, "pass")
        assert meeting.record(0).phase == 0 and meeting.record(0).month == 1
    assert batch.observations["messages"][0, 0, :, 0].tolist() == [5, 0, 1, 2, 3, 4, 0, 1, 2, 3]


def meeting(*utterances, **params):
    """A fishery after one harvest of 10 each and these utterances."""
    batch = started(fishery(**params))
    step(batch, 10, 10, 10, 10, 10)
    for utterance in utterances:
        step(batch, utterance)
    return batch


def speakers(batch):
    return np.flatnonzero(batch.acting[0]).tolist()


def test_who_speaks():
    batch = meeting()
    for utterance, expected in (
        ("pass", 1),
        ("ask player_4", 4),
        ("propose limit 10", 0),
        ("accuse player_3", 3),
        ("agree", 4),
        ("pass", 0),
    ):
        step(batch, utterance)
        assert speakers(batch) == [expected] and batch.observations["speaker"][0, 0, 0] == expected
    assert (batch.observations["threshold"] == -1).all()  # it is shown only with `universalization`
    assert batch.observations["messages"][0, 2, :7].tolist() == [
        [5, ANNOUNCE, -1],
        [0, PASS, -1],
        [1, ASK, 4],
        [4, PROPOSE, 10],
        [0, ACCUSE, 3],
        [3, AGREE, -1],
        [4, PASS, -1],
    ]
    step(batch, "end meeting")
    assert batch.record(0).month == 1 and speakers(batch) == [0, 1, 2, 3, 4]
    # The words stay before everyone's eyes while they harvest, until the next meeting.
    assert batch.observations["messages"][0, 2, 7].tolist() == [0, END, -1]
    step(batch, 10, 10, 10, 10, 10)
    assert (batch.observations["messages"][0, :, 1:] == -1).all()


def test_legal_words():
    def words(batch):
        return legal(batch, speakers(batch)[0])

    others = {f"{act} player_{a}" for act in ("ask", "accuse") for a in range(1, 5)}
    limits = {f"propose limit {k}" for k in range(21)}
    assert words(meeting()) == {"pass", "end meeting"} | others | limits
    batch = meeting("propose limit 9")
    assert {"agree", "object"} <= words(batch)
    step(batch, "ask player_0")
    assert not {"agree", "object"} & words(batch)  # an own proposal
    before = batch.records.tobytes()
    for wrong in ("agree", "ask player_0", "catch 3"):
        with pytest.raises(ActionError, match="player_0"):
            step(batch, wrong)
        assert batch.records.tobytes() == before
    batch = started(fishery(), level={"stock": 42})
    assert batch.masks[0].sum(axis=1).tolist() == [43] * 5
    with pytest.raises(ActionError, match="catch 43"):
        step(batch, 43, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "utterances, norm",
    [
        (["propose limit 8", "agree", "agree", "end meeting"], 8),  # three of five
        (["propose limit 8", "agree", "end meeting"], -1),  # two of five
        (["propose limit 8", "agree", "agree", "object", "object", "end meeting"], 8),
        (["propose limit 8", "agree", "agree", "ask player_1", "object", "end meeting"], -1),  # taken back
        (["propose limit 8", "agree", "agree", "propose limit 7", "end meeting"], -1),  # starts afresh
        (["propose limit 8", "agree", "agree", "propose limit 7", "agree", "agree", "end meeting"], 7),
        (["propose limit 0", "agree", "agree", "agree", "agree", "pass", "pass", "pass", "pass"], 0),  # nine are all
        (["end meeting"], -1),
    ],
)
def test_norms(utterances, norm):
    batch = meeting(*utterances)
    assert batch.record(0).month == 1 and (batch.observations["norm"] == norm).all()


def test_a_norm_stays_until_another_is_adopted():
    batch = meeting("propose limit 8", "agree", "agree", "end meeting")
    step(batch, 20, 0, 0, 0, 0)  # and binds nobody
    step(batch, "propose limit 3")
    close_meeting(batch)
    assert (batch.observations["norm"] == 8).all()
    # A limit that was proposed last month is no longer on the table.
    step(batch, 0, 0, 0, 0, 0)
    assert batch.record(0).proposal == -1


def test_without_language():
    world = fishery(language=False)
    batch = started(world)
    step(batch, 10, 10, 10, 10, 10)
    assert batch.record(0).month == 1 and batch.record(0).phase == 0
    assert (batch.observations["catches"] == 10).all() and (batch.observations["messages"] == -1).all()
    step(batch, 20, 20, 20, 20, 20)
    assert batch.over()[0] and batch.record(0).month == 2
    silent = started(fishery(language=False, public_catch=False))
    step(silent, 10, 10, 10, 10, 10)
    assert (silent.observations["catches"] == -1).all() and (silent.observations["catch"] == 10).all()
    # Both forms have the same spaces, so agents of one can be tried in the other.
    assert world.observation_spaces == fishery().observation_spaces and world.action_names == fishery().action_names


def test_newcomer():
    batch = started(fishery(newcomer=True))
    assert batch.record(0).history.shape == (15, 2)
    for month in range(ARRIVAL + 1):
        here = month == ARRIVAL
        newcomer = batch.observations[0, 4]
        assert speakers(batch) == [0, 1, 2, 3, 4][: 4 + here]
        assert newcomer["present"].tolist() == batch.observations[0, 0]["present"].tolist() == [1, 1, 1, 1, int(here)]
        assert newcomer["stock"][0] == (100 if here else -1) and newcomer["month"][0] == month
        # Of the time before, the newcomer is told nothing.
        unknown = ("request", "catch", "catches", "norm", "speaker", "messages")
        assert all((newcomer[name] == -1).all() for name in unknown)
        if here:
            break
        step(batch, 12, 12, 12, 12, 99)  # the action of who is away does not count
        assert batch.rewards[0].tolist() == [12, 12, 12, 12, 0] and batch.record(0).stock == 52
        assert batch.observations[0, 0]["catches"].tolist() == [12, 12, 12, 12, -1]
        assert batch.observations[0, 4]["speaker"] == batch.observations[0, 4]["stock"] == -1
        for word in ("propose limit 11", "agree", "agree", "agree"):
            step(batch, word)
        assert speakers(batch) == [0]  # the empty seat is passed over
        step(batch, "end meeting")
    assert batch.observations["norm"][0, :, 0].tolist() == [11, 11, 11, 11, -1]
    step(batch, 10, 10, 10, 10, 60)
    assert batch.rewards[0].tolist() == [10, 10, 10, 10, 60]
    assert batch.observations[0, 4]["catches"].tolist() == [10, 10, 10, 10, 60]
    # Two of four are no majority; with the newcomer there it takes three of five.
    batch = started(fishery(newcomer=True))
    step(batch, 0, 0, 0, 0, 0)
    assert not {"ask player_4", "accuse player_4"} & legal(batch, 0)
    for word in ("propose limit 11", "agree", "end meeting"):
        step(batch, word)
    assert batch.record(0).norm == -1
    batch = started(fishery(newcomer=True), level={"stock": 80, "month": 3})
    assert speakers(batch) == [0, 1, 2, 3, 4]
    assert "comes" not in batch.world.text(batch.record(0), 4)
    step(batch, 5, 5, 5, 5, 5)
    for word in ("propose limit 7", "agree", "agree", "end meeting"):
        step(batch, word)
    assert (batch.observations["norm"] == 7).all()  # it was there


def test_skins_change_words_only():
    runs = []
    for skin, verb in (("fishery", "catch"), ("pasture", "graze"), ("pollution", "make")):
        world = fishery(skin=skin)
        assert world.action_names[0][7] == f"{verb} 7"
        assert world.action_names[0][101:] == fishery().action_names[0][101:]
        batch = started(world, 64, seed=9)
        policy = make_policy("random", world)
        policy.reset(4, 64)
        trace = b""
        for _ in range(25):
            batch.step(policy.act_batch(batch.observations, batch.masks, range(5)), ~batch.finished)
            trace += batch.rewards.tobytes() + batch.records.tobytes() + batch.observations.tobytes()
        runs.append((trace, world.text(batch.record(0), 0), world.scene(batch.record(0)).shapes))
    traces, texts, scenes = zip(*runs)
    assert traces[0] == traces[1] == traces[2]
    assert len(set(texts)) == 3 and scenes[0] != scenes[1] != scenes[2] != scenes[0]


@pytest.mark.slow
@pytest.mark.parametrize("newcomer", [False, True])
def test_random_play_keeps_its_promises(newcomer):
    world = fishery(newcomer=newcomer, universalization=True)
    batch, policy = started(world, 8, seed=2), make_policy("random", world)
    policy.reset(1, 8)
    rng = np.random.default_rng(0)
    for _ in range(400):
        before = batch.records["stock"].copy()
        batch.actions[:] = policy.act_batch(batch.observations, batch.masks, range(5))
        harvesting = batch.records["phase"] == 0
        # Small requests now and then, so that months follow each other.
        frugal = (rng.random(8) < 0.95) & harvesting
        batch.actions[frugal] = np.minimum(batch.actions[frugal] % 11, before[frugal, None])
        batch.step()
        taken = batch.rewards.sum(axis=1)
        assert (taken[~harvesting] == 0).all()
        assert (batch.records["stock"][harvesting] == (before - taken)[harvesting]).all()
        for i in range(8):
            for a in range(5):
                space = world.observation_spaces[a]
                assert space.contains({name: batch.observations[i, a][name] for name in space})
        batch.start(where=batch.over())


def test_a_meeting_of_one():
    one = started(fishery(players=1, capacity=3, stock=3, collapse=1, horizon=2, max_utterances=2))
    step(one, 1)
    step(one, "propose limit 2")
    assert one.record(0).norm == 2
    step(one, 3)
    step(one, "end meeting")
    assert one.over()[0] and one.record(0).gains.tolist() == [4]


def test_levels():
    batch = started(fishery(), level={"stock": 40, "month": 10})
    assert batch.observations["stock"][0, 0, 0] == 40 and batch.observations["month"][0, 0, 0] == 10
    assert batch.world.get_level(batch.record(0)) == {"stock": 40, "month": 10}
    for _ in range(2):
        step(batch, 4, 4, 4, 4, 4)
        close_meeting(batch)
    assert batch.over()[0]
    batch.start()
    assert batch.world.get_level(batch.record(0)) == {"stock": 100, "month": 0}
    assert started(fishery(), level={"month": 2}).observations["stock"][0, 0, 0] == 100
    for level, message in (
        ({"stock": 4}, "stock=4 must be an integer from 5 to 100"),
        ({"stock": 101}, "from 5 to 100"),
        ({"stock": 10.5}, "stock=10.5"),
        ({"stock": True}, "stock=True"),
        ({"month": 12}, "month=12 must be an integer from 0 to 11"),
        ({"fish": 12}, "'stock', 'month' or both, not 'fish'"),
        ({}, "'stock', 'month' or both, not none"),
    ):
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, level)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"players": 21}, "players=21 must be an integer from 1 to 20"),
        ({"stock": 101}, "stock=101"),
        ({"stock": 4}, "collapse=5"),
        ({"newcomer": True, "players": 1}, "at least 2"),
        ({"newcomer": True, "horizon": 3}, "more than 3"),
        ({"rationing": "lottery"}, "one of 'stochastic', 'proportional'"),
        ({"skin": "forest"}, "skin='forest'"),
        ({"growth": 0.9}, "growth=0.9"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        Fishery(**params)


# Mean returns of an agent when all play alike; the sustainable optimum is 120, a collapse in the first month 20.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name, least, most",
    [
        ("random", 18, 30),
        ("constant", 120, 120),
        ("sustainable", 120, 120),
        ("greedy", 20, 20),
        ("proportional_greedy", 20, 20),
        ("tit_for_tat", 120, 120),
        ("norm_follower", 120, 120),
        ("norm_breaker", 20, 60),
    ],
)
def test_baselines(name, least, most):
    assert least <= matches.play(fishery(), name, 64).returns.mean() <= most


def test_baselines_in_company():
    def returns(names, **params):
        world = fishery(**params)
        batch, team = started(world), [make_policy(name, world) for name in names]
        total = matches.play_batch(batch, team, np.arange(5)[None], 0, None, None).returns[0]
        return total, batch.record(0)

    # The norm of 10 is agreed on in the first month and then broken.
    total, s = returns(["norm_follower"] * 4 + ["norm_breaker"])
    assert s.month == 12 and total[4] > total[0]
    # Tit for tat answers one who takes a fifth of everything in the next month, and that is the end.
    total, s = returns(["tit_for_tat"] * 4 + ["proportional_greedy"])
    assert s.month == 2 and total.tolist() == [10 + 16] * 4 + [20 + 16]
    total, s = returns(["sustainable"] * 4 + ["proportional_greedy"])
    assert s.month == 12 and total.tolist() == [52, 52, 52, 52, 106]
    # Where catches are hidden there is nothing to answer.
    total, s = returns(["tit_for_tat"] * 4 + ["proportional_greedy"], public_catch=False)
    assert s.month == 12
    # A greedy newcomer ends a village that had lasted.
    total, s = returns(["sustainable"] * 4 + ["greedy"], newcomer=True)
    assert s.month == 4


def test_text_and_picture():
    for params, steps in (({}, 4), ({"newcomer": True, "skin": "pollution"}, 5), ({"skin": "pasture"}, 40)):
        world = fishery(**params)
        batch, policy = started(world), make_policy("sustainable", world)
        policy.reset(0, 1)
        for _ in range(steps):
            batch.actions[:] = policy.act_batch(batch.observations, batch.masks, range(5))
            step(batch, batch.actions.copy())
        s = batch.record(0)
        before = batch.records.tobytes()
        scene = world.scene(s)
        assert all(world.text(s, a) for a in range(5)) and batch.records.tobytes() == before
        assert scene.width > 0 and len(scene.shapes) > 50
    batch = meeting("propose limit 8")
    text = batch.world.text(batch.record(0), 1)
    for part in ("50 tons", "player_0 proposes limit 8", "You speak.", "Month 1 of 12"):
        assert part in text
    assert "You speak" not in batch.world.text(batch.record(0), 2)


def test_what_villagers_know_of_catches():
    """Those of all, in numbers and as sums in pictures; where catches are secret, their own; none before they came."""

    def sums(batch, agent):
        shapes = batch.world.scene(batch.record(0), agent).shapes
        return sorted(shape.text for shape in shapes if getattr(shape, "text", "").startswith("Σ"))

    for public, known in ((True, ["Σ 10", "Σ 11", "Σ 12", "Σ 9"]), (False, ["Σ 12"])):
        batch = started(fishery(newcomer=True, public_catch=public))
        assert (batch.observations["request"] == -1).all() and (batch.observations["catches"] == -1).all()
        step(batch, 12, 11, 10, 9, 99)
        assert batch.observations["request"][0, :, 0].tolist() == [12, 11, 10, 9, -1]
        assert batch.observations["catches"][0, 0].tolist() == ([12, 11, 10, 9, -1] if public else [-1] * 5)
        assert set(sums(batch, 0)) - {"Σ 0"} == set(known)
    batch = started(fishery(newcomer=True, language=False))
    for _ in range(ARRIVAL):
        step(batch, 10, 10, 10, 10, 0)
    assert sums(batch, 4) == ["Σ 0"] and sums(batch, 0) == ["Σ 0", *["Σ 30"] * 4]


def test_messages():
    """What is said in a meeting is heard until the next one; the moderator is no agent."""
    batch = started(fishery(max_utterances=4))
    world, told, before = batch.world, [], []
    script = [10, "propose limit 8", "agree", "end meeting", 10, "propose limit 8", "ask player_3", "pass", 10]
    for t, move in enumerate(script):
        step(batch, *[move] * (1 if isinstance(move, str) else 5))
        now = world.messages(batch.record(0))
        told += [(t, *message) for message in heard(before, now)]
        before = now
    assert told == [
        (1, 0, "player_0 proposes limit 8."),
        (2, 1, "player_1 agrees."),
        (3, 2, "player_2 ends the meeting."),
        (5, 0, "player_0 proposes limit 8."),
        (6, 1, "player_1 asks player_3."),
        (7, 3, "player_3 passes."),
    ]


def test_clicks():
    batch = started(fishery())
    world, s = batch.world, batch.record(0)
    scale = 11.35
    assert [world.click(s, 0, 2.3 + 0.168 * k, scale) for k in range(101)] == list(range(101))
    assert world.click(s, 0, 5, 5) is None
    step(batch, 10, 10, 10, 10, 10)
    s = batch.record(0)
    assert world.action_names[0][world.click(s, 0, 2.3 + 1.68, scale)] == "propose limit 10"
    assert world.action_names[0][world.click(s, 0, 5, 9.5)] == "ask player_1"
    assert world.click(s, 0, 1, 9.5) is None


def test_metrics():
    rng = np.random.default_rng(1)
    returns = rng.integers(0, 50, (7, 5)).astype(float)
    for row, gini in zip(returns, metrics.gini(returns)):
        # The formula of GovSim's analysis, over sorted values.
        index = np.arange(1, 6)
        assert gini == pytest.approx(((2 * index - 6) * np.sort(row)).sum() / (5 * row.sum()))
    assert metrics.equality(returns) == pytest.approx(1 - metrics.gini(returns))
    assert metrics.gini(np.zeros(4)) == 0 and metrics.gini([0, 0, 0, 8]) == 0.75
    with pytest.raises(ValueError, match="0 or more"):
        metrics.gini([1, -1])
    assert metrics.gain([[1, 3], [2, 6]]).tolist() == [2, 4]
    assert metrics.efficiency([300, 300.0], 500) == 1 and metrics.efficiency([100, 25], 500) == 0.25
    assert metrics.survival_rate([12, 11, 3, 12], 12) == 0.5
    catches = [[5, 1], [6, 6], [9, 9]]
    assert metrics.over_usage(catches, [4, 6, 8]) == 0.5
    assert metrics.over_usage(catches, [4, 6, 8], [[True, True], [True, False], [False, False]]) == pytest.approx(1 / 3)
    assert metrics.over_usage(catches, [4, 6, 8], False) == 0
