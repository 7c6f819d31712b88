"""`check_world` can fail: worlds that break one promise each are caught by the check that names it."""

import math
from dataclasses import replace
from typing import Annotated

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode

from envsuite.core import random
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.policy import _TABLE, policy
from envsuite.core.ranges import below, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector
from envsuite.render.scene import Circle, Scene
from envsuite.testing import CHECKS, HEADINGS, ConformanceError, check_vector_env, check_world

PAGE = " ".join(f"**{heading}.**" for heading in HEADINGS)
PLAYERS = Page(
    role="You play against {others}.",
    goal="Reach ten first.",
    acts={"add {N}": "add N to the total"},
    ends="It is over at ten.",
    unsaid={},
    constants={"ten": "the aim"},
)


@kernel
def reset(s):
    s.total = random.randint(s, 3)
    s.player = 0


@kernel
def step(s, actions, rewards):
    player = s.player
    s.total += actions[player]
    s.player = 1 - player
    if s.total >= 10:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    out[0] = s.total
    out[1] = s.player


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        mask[0] = s.total < 9
        mask[1] = 1
        mask[2] = 1


class Race(World):
    """A sound little world: add 0 to 2 in turn; who reaches 10 wins."""

    __doc__ = PAGE
    player_page = PLAYERS
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    utility = "zero-sum"
    information = "perfect"

    def __init__(self):
        self.define(
            agents=["player_0", "player_1"],
            actions=["add 0", "add 1", "add 2"],
            observation=Box(0, 12, (2,), np.int64),
            fields=[
                ("total", within(np.int64, 0, 12)),
                ("player", below(np.int64, 2)),
                ("scores", free(np.int64), (2,)),
            ],
            reward_range=(-1.0, 1.0),
        )

    def text(self, s, agent):
        return f"The total is {s.total}."

    def scene(self, s, agent=None):
        return Scene(4, 2, [Circle(1, 1, 0.3, "red"), Circle(3, 1, 0.1 + 0.05 * int(s.total), "blue")])


def test_the_sound_world_passes():
    # The walk of "add 0" ends with probability 1 but not surely: PettingZoo's tests play far enough.
    assert len(check_world(Race).checks) == len(CHECKS)


@kernel
def step_points(s, actions, rewards):
    player = s.player
    s.objectives[player, 0] = actions[player]
    step(s, actions, s.objectives[:, 1])


@kernel
def step_points_by_hand(s, actions, rewards):
    step_points(s, actions, rewards)
    rewards[0] += 1.0


class Points(Race):
    """The same with two objectives: what one adds, and the race."""

    __doc__ = PAGE + "weights"
    player_page = replace(PLAYERS, unsaid={"weights": "players are paid for both alike"})
    kernels = Race.kernels._replace(step=step_points)
    utility = "general"

    def __init__(self, weights: tuple[float, ...] = (0.25, 1.0)):
        self.define(
            agents=["player_0", "player_1"],
            actions=["add 0", "add 1", "add 2"],
            observation=Box(0, 12, (2,), np.int64),
            fields=[("total", within(np.int64, 0, 12)), ("player", below(np.int64, 2))],
            params={"weights": weights},
            objectives={"added": (0.0, 2.0), "race": (-1.0, 1.0)},
        )


def test_a_world_with_objectives_passes():
    assert Points().reward_range == (-1.0, 1.5)
    assert len(check_world(Points).checks) == len(CHECKS)


def test_a_reward_before_the_end_is_caught():
    assert Points().return_range == (-math.inf, math.inf)
    Early = type("Early", (Points,), {"paid_at_end": True})
    assert Early().return_range == (-1.0, 1.5)
    with pytest.raises(ConformanceError, match="paid_at_end = True, but an agent has a reward before its end"):
        check_world(Early, only="check_rules")


def test_objectives_by_hand():
    """Vector rewards as each interface shows them: of the last step, or since an agent's last move."""
    parallel, aec = Parallel(Points), AEC(Points)
    parallel.reset(seed=0)
    aec.reset(seed=0)
    _, rewards, *_, infos = parallel.step({"player_0": 2})
    assert infos["player_0"]["vector_reward"].tolist() == [2.0, 0.0] and rewards["player_0"] == 0.5
    assert infos["player_1"]["vector_reward"].tolist() == [0.0, 0.0]
    aec.step(2)
    aec.step(1)
    assert aec.last()[4]["vector_reward"].tolist() == [2.0, 0.0] and aec.last()[1] == 0.5
    aec.step(0)
    assert aec.infos["player_0"]["vector_reward"].tolist() == [0.0, 0.0]
    assert aec.infos["player_1"]["vector_reward"].tolist() == [1.0, 0.0]
    assert parallel.vector_reward_space == Box(np.array([0.0, -1.0]), np.array([2.0, 1.0]), dtype=np.float64)
    parallel.reset(seed=0, options={"params": {"weights": (1.0, 0.0)}})
    assert parallel.step({"player_0": 2})[1] == {"player_0": 2.0, "player_1": 0.0}


def test_wrong_weights():
    with pytest.raises(ParameterError, match="3 weights are given for 2: added, race"):
        Points(weights=(1.0, 2.0, 3.0))


@kernel
def step_before_the_first(s, actions, rewards):
    s.scores[s.player - 1] = 1
    step(s, actions, rewards)


@kernel
def step_past_the_end(s, actions, rewards):
    s.scores[s.total] = 1
    step(s, actions, rewards)


@kernel
def reset_incomplete(s):
    s.player = 0
    s.total = s.total % 3


@kernel
def step_unbalanced(s, actions, rewards):
    step(s, actions, rewards)
    if s.terminated[0]:
        rewards[0] = 0.5


@kernel
def step_nan(s, actions, rewards):
    step(s, actions, rewards)
    rewards[0] = np.nan


@kernel
def step_never_ends(s, actions, rewards):
    s.player = 1 - s.player


@kernel
def step_revives(s, actions, rewards):
    s.player = s.t % 2
    s.terminated[0] = s.t % 2


@kernel
def step_leaves(s, actions, rewards):
    step(s, actions, rewards)
    if s.total > 8:
        s.total = 13


@kernel
def observe_outside(s, agent, out):
    out[0] = s.total - 3
    out[1] = s.player


@kernel
def observe_half(s, agent, out):
    out[0] = s.total


@kernel
def legal_both(s, agent, mask):
    mask[0] = s.total < 9
    mask[1] = 1


@kernel
def legal_two(s, agent, mask):
    if s.player == agent:
        mask[1] = 2


@kernel
def legal_nobody(s, agent, mask):
    if s.player == agent and s.total < 5:
        mask[1] = 1


BROKEN = {
    "reset": (dict(reset=reset_incomplete), {}, "check_reset_is_complete", "depend on what was in memory"),
    "unbalanced": (dict(step=step_unbalanced), {}, "check_rules", "zero-sum"),
    "nan": (dict(step=step_nan), {}, "check_rules", "not a finite number"),
    "endless": (dict(step=step_never_ends), {}, "check_bad_input", "did not end"),
    "revives": (dict(step=step_revives), dict(leaving=True), "check_rules", "came back"),
    "apart": (dict(step=step_revives), {}, "check_rules", "the episode of some agents only is over"),
    "range": (dict(step=step_leaves), {}, "check_rules", "after a transition, total is 13, out of range 0 .. 12"),
    "contradiction": ({}, dict(contradiction=lambda self, s: "it is"), "check_rules", "the state cannot be: it is"),
    "outside": (dict(observe=observe_outside), {}, "check_rules", "outside its space"),
    "half": (dict(observe=observe_half), {}, "check_reset_is_complete", "observations depend"),
    "both act": (dict(legal=legal_both), {}, "check_rules", "not exactly one agent acts"),
    "mask of 2": (dict(legal=legal_two), {}, "check_rules", "other than 0 and 1"),
    "nobody": (dict(legal=legal_nobody), {}, "check_rules", "nobody can act"),
    "chance": ({}, dict(chance=False), "check_rules", "declares chance = False"),
    "masked": ({}, dict(masked=False), "check_rules", "an action is illegal"),
    "simultaneous": ({}, dict(turns="simultaneous"), "check_rules", "does not act"),
    "no page": ({}, dict(__doc__="A world."), "check_facts", "has no **Rules"),
    "negative index": (
        dict(step=step_before_the_first),
        {},
        "check_machine_code",
        "in step_before_the_first: s.scores[s.player - 1] = 1: the index -1 is below zero",
    ),
    "index too large": (dict(step=step_past_the_end), {}, "check_machine_code", "in step_past_the_end: "),
    "variant": ({}, dict(variants=(dict(size=3),)), "check_facts", "has no parameter 'size'"),
    "shown": ({}, dict(shown="perfect"), "check_facts", "shown: 'perfect' is none of the policies random"),
    "shown agent": ({}, dict(shown="player_2=random"), "check_facts", "'player_2' is none of the agents player_0"),
    "report": ({}, dict(report="no_such_module:report"), "check_facts", "No module named 'no_such_module'"),
    "clickable": ({}, dict(clickable="(add"), "check_facts", "a fact of Broken_clickable is wrong"),
    "verified": ({}, dict(verified="two\nlines"), "check_facts", "more than one line"),
    "no secret": (
        {},
        dict(counted="totals", uncertainty=lambda self, s, agent: (0, 0.0)),
        "check_uncertainty",
        "after 0 transitions, 0 secrets have 0.0 bits",
    ),
    "too uncertain": (
        {},
        dict(counted="totals", uncertainty=lambda self, s, agent: (2, 0.9 + s.t)),
        "check_uncertainty",
        "after 1 transitions, 2 secrets have 1.9 bits",
    ),
    "not counted": ({}, dict(counted="totals"), "check_facts", "has no method `uncertainty`"),
    "no text": ({}, dict(text=lambda self, s, agent: ""), "check_views", "has no text"),
    "strangers": (
        {},
        dict(talk_seats=lambda self, s: [0, 2]),
        "check_talk",
        "`talk_seats` gives [0, 2], not agents once",
    ),
    "two teams": (
        {},
        dict(talk_teams=lambda self, s: [[0, 1], [1]]),
        "check_talk",
        "`talk_teams` gives [0, 1, 1], not agents once",
    ),
    "radio": ({}, dict(talk_times=lambda self, s: ("radio",)), "check_talk", "`talk_times` gives ['radio']"),
    "mute": ({}, dict(talk_times=lambda self, s: ()), "check_talk", "`talk_times` has opened nothing in"),
    "empty": ({}, dict(scene=lambda self, s, agent=None: Scene(3, 3)), "check_views", "picture is empty"),
    "growing": (
        {},
        dict(scene=lambda self, s, agent=None: Scene(3 + s.t, 3, [Circle(1, 1, 1, "red")])),
        "check_views",
        "change their size",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_world_is_caught(name):
    kernels, facts, check, words = BROKEN[name]
    world = type(f"Broken_{name.replace(' ', '_')}", (Race,), {"kernels": Race.kernels._replace(**kernels), **facts})
    with pytest.raises(ConformanceError, match=check) as caught:
        check_world(world, only=check)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "names, words",
    [(["1", "2!", "2;"], "'2!' has the same words as '2;'"), (["go", "left", "*"], "'\\*' has no words")],
)
def test_names_that_answers_cannot_tell_apart_are_caught(names, words):
    class Renamed(Race):
        def define(self, *, actions, **rest):
            super().define(actions=names, **rest)

    with pytest.raises(ConformanceError, match=words):
        check_world(Renamed, only="check_views")


def test_fields_and_parameters_without_a_range_are_caught():
    class Unranged(Race):
        def __init__(self, goal: Annotated[int, Between(1, 10)] = 10):
            super().__init__()
            goals = {"goal": goal, "double": 2 * goal}
            self.define(
                agents=self.agents,
                actions=self.action_names[0],
                observation=self.observation_spaces[0],
                fields=[("total", within(np.int64, 0, 12)), ("player", np.int64)],
                params=goals,
            )

    with pytest.raises(ConformanceError, match="fields without a range: player"):
        check_world(Unranged, only="check_ranges")
    world = Unranged()
    world.ranges.undeclared.clear()
    with pytest.raises(ConformanceError, match="'goal': 1.*params.double is 2, out of range 20 .. 20"):
        check_world(world, only="check_ranges")


@pytest.mark.parametrize(
    "facts, words",
    [
        (dict(turns="simultanous"), "turns='simultanous' must be one of 'sequential'"),
        (dict(information="full"), "must be one of 'perfect', 'imperfect'"),
        (dict(utility="zero sum"), "utility='zero sum' must be one of 'zero-sum'"),
        (dict(chance="no"), "chance='no' must be True or False"),
        (dict(variants=dict(size=3)), "must be a list of mappings"),
        (dict(kind="cards"), "kind='cards' must be a list of texts"),
        (dict(kind=("cards", "bord")), "Wrong: 'bord' is no kind of world; did you mean 'boards'"),
        (dict(kind=("xyzq",)), "'xyzq' is no kind of world; known: boards, cards, .*, tools"),
    ],
)
def test_a_world_with_a_wrong_fact_cannot_be_made(facts, words):
    with pytest.raises(ParameterError, match=words):
        type("Wrong", (Race,), facts)()


@pytest.mark.parametrize("value", [3.5, 2.0])
def test_a_policy_of_floats_is_caught(value):
    @policy("envsuite/TicTacToe-v0", "floats")
    def floats(memory, observation, mask):
        return value

    try:
        with pytest.raises(ConformanceError, match=f"policy 'floats'.* {value} is written into an array of integers"):
            check_world("TicTacToe", only="check_machine_code", steps=5)
    finally:
        del _TABLE["envsuite/TicTacToe-v0"]["floats"]


@kernel
def reset_cards(s):
    for a in range(2):
        s.cards[a] = random.randint(s, 5)
        s.first[a] = -1


@kernel
def step_cards(s, actions, rewards):
    for a in range(2):
        if s.t == 1:
            s.first[a] = actions[a]
        if s.t == 4:
            s.terminated[a] = 1


@kernel
def observe_card(s, agent, out):
    out[0] = s.cards[agent]


@kernel
def legal_always(s, agent, mask):
    mask[0] = mask[1] = 1


class Cards(World):
    """Two agents with a card each, which the other does not see; each remembers what it said first."""

    __doc__ = PAGE
    player_page = PLAYERS
    kernels = Kernels(reset_cards, step_cards, observe_card, legal_always)

    def __init__(self):
        self.define(
            agents=["player_0", "player_1"],
            actions=["low", "high"],
            observation=Box(0, 4, (1,), np.int64),
            fields=[("cards", np.int64, (2,)), ("first", np.int64, (2,))],
        )

    def text(self, s, agent):
        return f"You have {s.cards[agent]} and said {s.first[agent]}, {s.t} moves ago."

    def scene(self, s, agent=None):
        return Scene(4, 2, [Circle(1, 1, 0.2 + 0.1 * s.cards[a], "red") for a in range(2) if agent in (None, a)])


def test_what_an_agent_remembers_may_be_shown():
    check_world(Cards, only="check_sight")


@pytest.mark.parametrize(
    "what, leak",
    [
        ("picture", dict(scene=lambda self, s, agent=None: Scene(2, 2, [Circle(1, 1, 0.1 + 0.1 * s.cards[0], "red")]))),
        ("text", dict(text=lambda self, s, agent: f"The other has {s.cards[1 - agent]}.")),
        ("text", dict(text=lambda self, s, agent: f"The other began with {s.first[1 - agent]}.")),
        ("reply", dict(reply=lambda self, s, agent: f"{s.cards}")),
        ("prompt", dict(prompt=lambda self, s, agent: f"{s.cards.sum()}")),
        ("uncertainty", dict(counted="cards", uncertainty=lambda self, s, agent: (5, 0.1 * s.cards[1 - agent]))),
    ],
)
def test_what_shows_hidden_things_is_caught(what, leak):
    with pytest.raises(ConformanceError, match=f"the {what} of player_. shows what its observations do not reveal"):
        check_world(type("Leaky", (Cards,), leak), only="check_sight")


@pytest.mark.parametrize(
    "step, most, words", [(step_points, 1.0, "out of its bounds"), (step_points_by_hand, 2.0, "weigh")]
)
def test_broken_objectives_are_caught(step, most, words):
    class Broken(Points):
        kernels = Points.kernels._replace(step=step)

        def __init__(self, weights: tuple[float, ...] = (0.25, 1.0)):
            super().__init__(weights)
            self.objectives["added"] = (0.0, most)

    with pytest.raises(ConformanceError, match=words):
        check_world(Broken, only="check_objectives")


class Spoiled(gymnasium.vector.VectorEnv):
    """A vector that breaks one promise."""

    def __init__(self, fault, mode):
        self.inner = SeatVector(Race, 3, autoreset=mode)
        self.fault, self.num_envs, self.metadata = fault, 3, dict(self.inner.metadata)
        for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
            setattr(self, name, getattr(self.inner, name))
        if fault == "mode":
            self.metadata["autoreset_mode"] = "NEXT_STEP"
        self.held = None

    def reset(self, *, seed=None, options=None):
        if self.fault == "reset_mask" and options:
            options = {}
        if self.fault == "seeds" and isinstance(seed, int):
            seed += 1000
        return self.spoil(self.inner.reset(seed=seed, options=options))

    def step(self, actions):
        observations, rewards, ended, cut, infos = self.inner.step(actions)
        if self.fault == "rewards":
            rewards = rewards.astype(int)
        if self.fault == "shape":
            ended = ended[:, None]
        if self.fault == "resetting":
            rewards = rewards + 1.0
        return self.spoil((observations, rewards, ended, cut, infos))

    def spoil(self, result):
        if self.fault == "alias":
            if self.held is None:
                self.held = result[0]
            else:
                for part, fresh in ((self.held, result[0]),):
                    part["observation"][...] = fresh["observation"]
                    part["action_mask"][...] = fresh["action_mask"]
            return (self.held, *result[1:])
        if self.fault == "outside":
            result[0]["observation"][0, 0] = 99
        if self.fault == "final":
            result[-1].pop("final_obs", None)
        return result


@pytest.mark.parametrize(
    "fault, mode, words",
    [
        ("mode", "next_step", "not an AutoresetMode"),
        ("seeds", "next_step", "reset\\(seed=s\\) differs"),
        ("rewards", "next_step", "not finite floats"),
        ("shape", "next_step", "not an array of shape"),
        ("resetting", "next_step", "must give reward 0"),
        ("alias", "next_step", "returned before"),
        ("outside", "next_step", "outside observation_space"),
        ("final", "same_step", "lack 'final_obs'"),
        ("reset_mask", "disabled", "outside the mask"),
    ],
)
def test_a_broken_vector_is_caught(fault, mode, words):
    check_vector_env(lambda: SeatVector(Race, 3, autoreset=mode))
    with pytest.raises(ConformanceError, match=words):
        check_vector_env(lambda: Spoiled(fault, mode))


def test_gymnasiums_own_vector_passes():
    for mode in AutoresetMode:
        make = lambda mode=mode: gymnasium.vector.SyncVectorEnv(  # noqa: E731
            [lambda: gymnasium.make("FrozenLake-v1")] * 3, autoreset_mode=mode
        )
        check_vector_env(make)
