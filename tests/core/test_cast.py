"""Who plays which seat: one object for all that ask, with one text for all mistakes."""

import copy

import gymnasium
import numpy as np
import pytest
from kit import started

import envsuite
from envsuite.agents import Policy, make_policy
from envsuite.core.cast import Cast
from envsuite.core.errors import ActionError, ParameterError, UnknownIdError
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.vector import SeatVector
from envsuite.registry import build

FOUR = build("ConnectFour")
THREE = build("LeducPoker", {"players": 3})


class Says(Policy):
    """Always answers the same, whatever it is, and counts how often."""

    name = "says"

    def __init__(self, answer=0):
        self.answer, self.asked = answer, 0

    def act(self, observation, mask, agent=0):
        self.asked += 1
        return self.answer

    def get_state(self):
        return bytes([self.asked])

    def set_state(self, state):
        self.asked = state[0]


def test_all_forms_name_the_same_seats():
    one, other = Says(), Says()
    for given in ([one, other, one], {"player_0": one, "player_1": other, "player_2": one}, {0: one, 1: other, 2: one}):
        cast = Cast(THREE, given)
        assert list(cast.seats.values()) == [one, other, one] and cast.policies == [one, other]
    assert Cast(THREE, cast).seats == cast.seats
    assert len(Cast(THREE, "random").policies) == 1 and len(Cast(THREE, "random", apart=True).policies) == 3
    assert len(Cast(THREE, ["random", "tight", "random"]).policies) == 2
    assert Cast(THREE, {"player_1": one}, default=other).seats == {0: other, 1: one, 2: other}
    assert Cast(THREE, {"player_0": one, "player_1": other}, seats=[1, 2], default=one).seats == {1: other, 2: one}
    assert Cast(THREE, [one, other], seats=[0, 2]).seats == {0: one, 2: other}
    assert Cast(THREE, {2: one}, idle=[0, 1]).seats == {2: one}


WRONG = [
    ({"player_1": 5}, "player_1 must be a policy's name, a Policy or a function, not 5"),
    ({"player_1": Says}, "player_1 must be a policy's name, a Policy or a function, not <class"),
    ({"player_1": None}, "player_1 must be a policy's name, a Policy or a function, not None"),
    (None, "player_1 must be a policy's name, a Policy or a function, not None"),
    (5, "player_1 must be a policy's name, a Policy or a function, not 5"),
    ([7], "player_1 must be a policy's name, a Policy or a function, not 7"),
    (["random"] * 3, "3 policies are given for 1 agents: player_1"),
    ({"player_2": "random"}, "no agent 'player_2'; the agents are player_0, player_1; did you mean"),
    ({7: "random"}, "no agent 7; the agents are player_0, player_1"),
    (
        make_policy("random", build("ConnectFour", {"rows": 5})),
        "made for envsuite/ConnectFour-v0 with other parameters",
    ),
    (make_policy("random", THREE), "made for envsuite/LeducPoker-v0"),
]


@pytest.mark.parametrize("given, message", WRONG)
def test_wrong_opponents(given, message):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ParameterError, match=message):
            make("envsuite/ConnectFour-v0", opponents=given)


def test_wrong_players_elsewhere():
    with pytest.raises(UnknownIdError, match="did you mean 'tactical'"):
        gymnasium.make("envsuite/ConnectFour-v0", opponents={"player_1": "tactica"})
    with pytest.raises(ParameterError, match="nobody plays player_0, player_2; the agents are player_0, player_1, p"):
        Cast(THREE, {"player_1": "random"})
    with pytest.raises(ParameterError, match="nobody plays player_1"):
        envsuite.make_vec("ConnectFour", 2).rollout({"player_0": "random"}, 10)


@pytest.mark.parametrize("answer", [1.0, None, "3", [2], np.array([1])])
def test_an_answer_that_is_no_integer(answer):
    env = gymnasium.make("envsuite/ConnectFour-v0", agent="player_1", opponents=Says(answer))
    with pytest.raises(ActionError, match="policy 'says' must choose an integer, not"):
        env.reset(seed=0)


def test_answers():
    for answer in (3, np.int32(3), np.array(3), np.uint8(3)):
        seen, _ = gymnasium.make("envsuite/ConnectFour-v0", agent="player_1", opponents=Says(answer)).reset(seed=0)
        assert seen["observation"][0, 3].tolist() == [0, 1]
    with pytest.raises(ActionError, match="action 9 of player_0 is out of range"):
        gymnasium.make("envsuite/ConnectFour-v0", agent="player_1", opponents=Says(9)).reset(seed=0)
    batch, policy = started(FOUR, 2), Says()
    policy.act_batch = lambda observations, masks, agents: np.zeros((2, 1))
    with pytest.raises(ActionError, match=r"'says' must choose integers of shape \(2, 1\), not float64"):
        Cast(FOUR, {0: policy, 1: "random"}).choose(batch)


def test_choose():
    """Only those that act are asked, where wanted, and not those that rest."""
    batch, one, other = started(FOUR, 3), Says(2), Says(4)
    cast = Cast(FOUR, [one, other])
    cast.choose(batch)
    assert (one.asked, other.asked) == (3, 0) and (batch.actions[:, 0] == 2).all()
    batch.step()
    cast.choose(batch, np.array([True, False, True]))
    assert (one.asked, other.asked) == (3, 2)
    cast.choose(batch, resting=[1])
    assert (one.asked, other.asked) == (3, 2)
    state = cast.get_state()
    cast.choose(batch)
    assert other.asked == 5
    cast.set_state(state)
    assert (one.asked, other.asked) == (3, 2)


@pytest.mark.parametrize("opponents", ["tactical", "mcts:simulations=20", {"player_1": "random"}])
@pytest.mark.parametrize("make", [Seat, SeatVector])
def test_copies_have_opponents_of_their_own(make, opponents):
    """Given by name or as an object: what the copy's opponents do next is what the original's do, and no more."""
    if opponents == "tactical":
        opponents = make_policy(opponents, FOUR)
    env = make(FOUR, opponents=opponents)
    env.reset(seed=5)
    columns = np.array([3]) if make is SeatVector else 3
    env.step(columns)
    twins = [env.clone(), copy.deepcopy(env)]
    stories = []
    for one in (env, *twins):
        for column in (0, 1, 2):
            one.step(columns * 0 + column)
        stories.append(one.get_state())
    assert len(set(stories)) == 1


def test_a_state_of_another_vector_is_refused():
    vector = SeatVector(FOUR, 3, opponents="tactical")
    vector.reset(seed=1)
    for num, options in ((2, {}), (3, {"agent": "player_1"}), (3, {"autoreset": "disabled"})):
        with pytest.raises(ValueError, match="the snapshot has"):
            SeatVector(FOUR, num, **options).set_state(vector.get_state())


def test_verbs_of_a_batch():
    """start, step, observe, refuse, forfeit, everywhere and where asked; errors change nothing."""
    batch = started(FOUR, 4, seed=7)
    assert np.array_equal(batch.records["rng"], started(FOUR, 4, seed=[7, 8, 9, 10]).records["rng"])
    batch.step(3, np.array([True, False, True, False]))
    assert batch.records["t"].tolist() == [1, 0, 1, 0]
    batch.step([[2, 4]], slice(1, 3))
    assert batch.records["t"].tolist() == [1, 1, 2, 0]
    before = batch.records.tobytes()
    with pytest.raises(ActionError, match="action 7 of player_1 of world 0 is out of range"):
        batch.step([[0, 7]], np.array([True, False, False, False]))
    assert batch.records.tobytes() == before
    batch.step(0)  # all of them: nothing is left of the refused one
    assert batch.records["t"].tolist() == [2, 2, 3, 1]
    with pytest.raises(ActionError, match="player_0 of world 2"):
        batch.refuse(np.array([0, 0, -1, 0]), 0, np.array([True, False, True, False]))
    batch.refuse(np.array([0, 0, 0, -1]), 0, np.array([True, False, False, False]))
    gone = np.zeros((4, 2), bool)
    gone[3, 1] = True
    batch.forfeit(gone)
    assert batch.finished.tolist() == [False, False, False, True] and batch.rewards[3].tolist() == [0, -1]
    batch.step(1)
    assert batch.records["t"].tolist() == [3, 3, 4, 0]  # the last one started again
    batch.start(where=np.array([False, True, False, False]))
    assert batch.records["t"].tolist() == [3, 0, 4, 0]
    with pytest.raises(ParameterError, match="3 seeds are given for 4 worlds"):
        batch.start([1, 2, 3])
    with pytest.raises(ParameterError, match="2 entries for 4 worlds"):
        batch.start(levels=[None, None])
