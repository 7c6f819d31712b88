"""Controls: actions that are rows of numbers, through every interface, replays, words and people."""

import io
import pickle
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
import pytest
from gymnasium.spaces import Box
from rich.console import Console

from envsuite.agents.human import Human, read
from envsuite.core import tools
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, ParameterError, ReplayError, SnapshotError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.policy import _TABLE, Policy, make_policy, policies_of, policy
from envsuite.core.random import uniform
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.episodes.oversight import Oversight
from envsuite.episodes.recorder import Recorder
from envsuite.episodes.replay import Replay, differences
from envsuite.episodes.session import Session
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.models.agent import LanguageAgent
from envsuite.render.page import _content
from envsuite.render.player import Table
from envsuite.render.scene import Circle, Scene
from envsuite.render.viewer import Viewer
from envsuite.render.window import Hover, Key, Text, Window
from envsuite.testing import CHECKS, HEADINGS, check_world

LENGTH = 12


@kernel
def reset(s):
    for a in range(2):
        s.place[a] = uniform(s)


@kernel
def move(s, agent, push, rewards):
    s.place[agent] = min(max(s.place[agent] + push, -4.0), 4.0)
    rewards[agent] = -abs(s.place[agent])
    if s.t >= LENGTH:
        s.truncated[agent] = 1


@kernel
def step(s, actions, rewards):
    for a in range(2):
        move(s, a, 0.1 * (actions[a] - 1), rewards)


@kernel
def steer(s, controls, rewards):
    for a in range(2):
        push = 0.1 * np.float64(controls[a, 0])
        if a == 1:
            push -= 0.1 * np.float64(controls[a, 1])
        move(s, a, push, rewards)


@kernel
def observe(s, agent, out):
    out[0] = s.place[agent]


@kernel
def legal(s, agent, mask):
    for k in range(3):
        mask[k] = 1


LEFT = Page(
    role="You drive a cart.",
    goal="You lose as many points as it is away from the middle.",
    acts={
        "push": When("rows", "push the cart forth"),
        ("back", "rest", "forth"): When("rows", "", "move the cart, or leave it"),
    },
    ends="It never ends.",
)
RIGHT = replace(LEFT, acts={**LEFT.acts, "pull": When("rows", "pull it back")})


class Rail(World):
    """Two carts on rails: the first one is pushed by one number, the second one by two."""

    __doc__ = " ".join(f"**{heading}.**" for heading in HEADINGS) + " controls "
    kernels = Kernels(reset, step, observe, legal)
    steer = steer
    masked = False
    keys = {"right": "push"}
    player_page = {"left": LEFT, "right": RIGHT}

    def __init__(self, controls: Literal["discrete", "continuous"] = "discrete"):
        boxes = {"left": Box(-1, 1, (1,), np.float32), "right": Box(0, np.float32([1, 2]), (2,), np.float32)}
        names = {"left": ["push"], "right": ["push", "pull"]}
        rows = controls == "continuous"
        self.define(
            agents=["left", "right"],
            actions=names if rows else ["back", "rest", "forth"],
            observation=Box(-4, 4, (1,), np.float32),
            fields=[("place", within(np.float64, -4, 4), (2,))],
            reward_range=(-4.0, 0.0),
            controls=boxes if rows else None,
        )

    def page_slots(self, s, agent):
        return {"rows": self.parameters["controls"] == "continuous"}

    def text(self, s, agent):
        return f"The cart is at {np.float32(s.place[agent])}."

    def scene(self, s, agent=None):
        drawn = range(2) if agent is None else (agent,)
        return Scene(10, 4, [Circle(5 + float(np.float32(s.place[a])), 1 + 2 * a, 0.4, "blue") for a in drawn])


@kernel
def home_by_controls(memory, observation, controls):
    for k in range(controls.shape[0]):
        controls[k] = 0.0
    push = -np.float64(observation[0]) * 10.0 * memory.gain
    if memory.agent == 0:
        controls[0] = min(max(push, -1.0), 1.0)
    else:
        controls[0 if push > 0 else 1] = min(abs(push), 1.0)


@policy("lab/Rail-v0", "home", steer=home_by_controls, gain=Between(0, 1).at(1.0))
def home(memory, observation, mask):
    return 1 - (observation[0] > 0.05) + (observation[0] < -0.05)


@policy("lab/Rail-v0", "forth")
def forth(memory, observation, mask):
    return 2


@pytest.fixture(scope="module", autouse=True)
def declared():
    yield
    _TABLE.pop("lab/Rail-v0", None)


RAIL = Rail(controls="continuous")
ROWS = np.array([[0.5, 0.0], [0.25, 1.5]], np.float32)


def test_forms_agree():
    only = [f"check_{name}" for name in ("views", "interfaces_agree", "snapshots", "masks", "bad_input", "seats")]
    assert check_world(RAIL, steps=8, only=only).checks == only


@pytest.mark.slow
@pytest.mark.parametrize("controls", ["discrete", "continuous"])
def test_all_checks_pass_in_both_forms(controls):
    assert len(check_world(Rail, controls=controls, steps=40).checks) == len(CHECKS)


def test_spaces_and_bounds():
    env, vector, seat = Parallel(RAIL), Vector(RAIL, 3), SeatVector(RAIL, 3, agent="right")
    assert env.action_space("left") == Box(-1, 1, (1,), np.float32)
    assert env.action_space("right") == Box(0, np.float32([1, 2]), (2,), np.float32)
    assert RAIL.bounds.tolist() == [[[-1, 0], [0, 0]], [[1, 0], [1, 2]]]
    assert vector.action_space.shape == (3, 2, 2) and vector.action_space.high[2].tolist() == [[1, 0], [1, 2]]
    assert seat.action_space.shape == (3, 2)
    assert RAIL.action_names == (("push",), ("push", "pull")) and not RAIL.masked
    _, infos = env.reset(seed=0)
    assert "action_mask" not in infos["left"] and "action_mask" not in vector.reset(0)[1]
    assert env.action_mask("left").tolist() == [1] and env.action_mask("right").tolist() == [1, 1]
    with pytest.raises(ParameterError, match="different controls and cannot share"):
        vector.flatten()


def test_numbers_arrive_as_they_were_sent():
    env, seat, aec, vector = Parallel(RAIL), Seat(RAIL, agent="right"), AEC(RAIL), Vector(RAIL, 2, threads=2)
    for one in (env, seat, aec, vector):
        one.reset(seed=3)
    before = env.batch.records["place"][0].copy()
    env.step({"left": [0.5], "right": ROWS[1]})
    assert env.batch.records["place"][0].tolist() == [before[0] + 0.1 * 0.5, before[1] + (0.1 * 0.25 - 0.1 * 1.5)]
    aec.step(np.array([0.5]))
    state = aec.get_state()
    aec.step((0.25, 1.5))
    vector.step(np.stack([ROWS, ROWS]))
    assert aec.batch.records["place"].tolist() == env.batch.records["place"].tolist()
    assert vector.batch.records["place"][0].tolist() == env.batch.records["place"][0].tolist()
    again = AEC(RAIL)
    again.set_state(state)
    again.step((0.25, 1.5))
    assert again.get_state() == aec.get_state() == pickle.loads(pickle.dumps(aec)).get_state()
    seat.step(ROWS[1])
    assert seat.batch.records["place"][0, 1] == env.batch.records["place"][0, 1]


def test_every_number_is_checked_before_anything_changes():
    vector = Vector(RAIL, 3)
    vector.reset(0)
    state, rows = vector.get_state(), np.stack([ROWS] * 3)
    for value, words in ((np.nan, "nan, not a finite number"), (-np.inf, "-inf, not"), (2.5, "2.5, outside 0 .. 2")):
        rows[2, 1, 1] = value
        with pytest.raises(ActionError, match=f"the control 'pull' of right of world 2 is {words}.*clip"):
            vector.step(rows)
        assert vector.get_state() == state
    rows[2, 1, 1], rows[1, 0, 1] = 1.0, 0.5
    with pytest.raises(ActionError, match="number 1, which it does not have, of left of world 1 is 0.5"):
        vector.step(rows)
    with pytest.raises(ActionError, match="must be numbers of shape"):
        vector.step(rows[..., 0])
    assert vector.get_state() == state


def test_clipped():
    far, near = Vector(RAIL, 2, on_illegal="clip"), Vector(RAIL, 2)
    for one in (far, near):
        one.reset(1)
    rows = np.array([[[9, 3], [-1, 2.5]]] * 2)
    far.step(rows)
    near.step([[[1, 0], [0, 2]]] * 2)
    assert far.get_state() == near.get_state()
    state = far.get_state()
    rows[1, 0, 0] = np.nan
    with pytest.raises(ActionError, match="not a finite number"):
        far.step(rows)
    assert far.get_state() == state
    for effect in ("noop", "forfeit"):
        with pytest.raises(ParameterError, match="must be one of error, clip"):
            Parallel(RAIL, on_illegal=effect)
    with pytest.raises(ParameterError, match="must be one of error, noop, forfeit"):
        Parallel(Rail(), on_illegal="clip")


def test_policies():
    assert list(policies_of(RAIL)) == ["random", "home"] and list(policies_of(Rail())) == ["random", "home", "forth"]
    vector = Vector(RAIL, 64)
    vector.reset(0)
    totals = {name: vector.rollout(name, 12, seed=1).returns for name in ("random", "home", "home:gain=0.1")}
    assert (totals["home"] > totals["home:gain=0.1"]).all() and (totals["home"] > totals["random"] + 1).all()
    choices = make_policy("random", RAIL)
    choices.reset(0, 4000)
    batch = Batch(RAIL, 4000)
    batch.start(0)
    rows = choices.act_in(batch, [0, 1])
    assert rows.dtype == np.float32 and (rows >= RAIL.bounds[0]).all() and (rows <= RAIL.bounds[1]).all()
    assert np.allclose(rows.mean(axis=0), [[0, 0], [0.5, 1]], atol=0.05)
    memory = np.frombuffer(bytearray(choices.get_state()), choices.first_memory.dtype)
    memory["high"][0] = 0.5
    with pytest.raises(SnapshotError, match="other controls"):
        choices.set_state(memory.tobytes())


def test_functions_and_python_policies():
    class Rest(Policy):
        def act(self, observation, mask, agent=0):
            return np.zeros(len(RAIL.action_names[agent]))

    seat = Seat(RAIL, agent="left", opponents=Rest())
    seat.reset(seed=0)
    before = seat.batch.records["place"][0, 1]
    seat.step([0.0])
    assert seat.batch.records["place"][0, 1] == before
    seat = Seat(RAIL, agent="left", opponents=lambda observation, mask: 0)
    seat.reset(seed=0)
    with pytest.raises(ActionError, match="must choose 2 numbers, not array"):
        seat.step([0.0])


def test_solvers_and_oversight_refuse():
    for name in ("mcts", "alpha_beta", "learned"):
        with pytest.raises(ParameterError, match="needs actions with names"):
            make_policy(name, RAIL)
    with pytest.raises(ParameterError, match="oversight needs actions with names"):
        Oversight(Parallel(RAIL), "random")


@pytest.mark.parametrize("make", [Parallel, AEC, lambda world: Vector(world, 2)])
def test_replays_hold_the_exact_numbers(make, tmp_path, monkeypatch):
    monkeypatch.setattr("envsuite.episodes.replay._world_of", lambda header, name: RAIL)
    env = make(RAIL)
    rng = np.random.default_rng(0)
    with Recorder(env, tmp_path / "rail.replay") as recorder:
        env.reset(seed=4)
        for _ in range(LENGTH if isinstance(env, Vector) else 7):
            rows = rng.uniform(*RAIL.bounds, (2, 2, 2)).astype(np.float32)
            if isinstance(env, Vector):
                env.step(rows)
            elif isinstance(env, Parallel):
                env.step({"left": rows[0, 0, :1], "right": rows[0, 1]})
            else:
                env.step(rows[0, 0, :1])
                env.step(rows[0, 1])
    found = Replay.load(tmp_path / "rail.replay")
    found.verify()
    assert found.actions.dtype == np.float32 and found.actions.shape[1:] == (2, 2)
    assert found.at(1).actions.tolist() == found.actions[1].tolist()
    assert differences(found, recorder.replays[0]) == []
    other = Replay(RAIL, found.start, found.actions.copy(), found.checksums, found.returns, found.over)
    other.actions[2, 1, 0] = 0.125
    assert str(differences(found, other)[0]).startswith("step 2, right: action: 'push=")
    for wrong in (np.nan, 2.0):
        other.actions[2, 1, 0] = wrong
        with pytest.raises(ReplayError, match="actions that Rail does not have"):
            Replay.from_bytes(other.to_bytes(), RAIL)
    with pytest.raises(ReplayError, match="which Rail does not have"):
        Replay.from_bytes(found.to_bytes(), Rail())


def test_sessions_and_words():
    session = Session(RAIL, "home", seed=0, persons=[1])
    session.choose(1, read(RAIL, 1, np.ones(2, np.int8), "pull=1.5"))
    session.advance()
    assert session.timeline.done(1)[1] == "pull=1.5" and session.timeline.replay().actions.dtype == np.float32
    with pytest.raises(ActionError, match="outside 0 .. 2"):
        session.choose(1, np.float32([0, 3]))
    assert read(RAIL, 1, np.ones(2, np.int8), "right").tolist() == [1, 0]  # a key pushes fully
    env = Parallel(RAIL)
    env.reset(seed=0)
    assert env.parse_action("right", "0.25 1.5").tolist() == env.parse_action("right", "pull = 1.5, push=.25").tolist()
    for words, problem in (
        ("pul=1", "did you mean"),
        ("push=x", "no number"),
        ("1 2 3", "give 2 numbers"),
        ("push=nan", "outside"),
        ("", "give"),
    ):
        with pytest.raises(ActionError, match=problem):
            env.parse_action("right", words)
    schema = env.tools("right")[0]["function"]["parameters"]["properties"]
    assert schema["pull"] == {"type": "number", "minimum": 0.0, "maximum": 2.0}
    call = {"name": "act", "arguments": {"push": 1, "pull": 0.5}}
    assert env.parse_call("right", call).tolist() == [1, 0.5] and tools.to_call(RAIL, 1, [1.0, 0.5]) == call
    for arguments in ({"push": 1}, {"push": True, "pull": 0}, {"push": 3, "pull": 0}):
        with pytest.raises(ActionError, match="must be a number from"):
            env.parse_call("right", {"name": "act", "arguments": arguments})


def test_people_and_language_agents():
    batch = Batch(RAIL, 1)
    batch.start(0)
    answers = iter(["nonsense", "pull=9", "pull=0.5"])
    person = Human(lambda prompt: next(answers), Console(file=io.StringIO()))
    assert person.act_in(batch, [1])[0, 0].tolist() == [0, 0.5]
    asked = []
    model = LanguageAgent(lambda prompt: asked.append(prompt) or "I push.\nAction: push=0.5")
    assert model.act_in(batch, [0, 1])[0].tolist() == [[0.5, 0], [0.5, 0]]
    assert "Your controls: push from 0 to 1; pull from 0 to 2" in asked[1]


class Wrong(Rail):
    def __init__(self, gap: Annotated[int, Between(0, 3)] = 0):
        names = ["a", "b"]
        box = [
            Box(0, 1, (3,), np.float32), Box(0, 1, (2,), np.float64), Box(0, np.inf, (2,), np.float32),
            Box(0, np.float32([1, 0]), (2,), np.float32),
        ]  # fmt: skip
        self.define(
            agents=["left"], actions=names, observation=Box(0, 1, (1,), np.float32), fields=[], controls=box[gap]
        )


@pytest.mark.parametrize("gap", range(4))
def test_wrong_boxes_are_refused(gap):
    with pytest.raises(ValueError, match="controls"):
        Wrong(gap=gap)


def test_windows_and_pages(monkeypatch):
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    table = Table(Session(RAIL, "home", persons=[1]), Window("test", size=(900, 600)))
    table.handle(Key("right"))
    table.handle(Text("pull=0.5"))
    table.handle(Hover(100, 100))
    table.show()
    assert [table.timeline.done(step)[1] for step in (1, 2)] == ["push=1", "pull=0.5"]
    assert table.panel().actions == ["push (right)", "pull"]
    table.handle(Text("pull=5"))
    assert table.session.step == 2  # refused
    watched = Viewer(table.window, table.timeline, focus=1)
    assert watched.actions()[1] == ["push 1.000", "pull 0.000"]
    pygame.display.quit()
    data, _ = _content(table.timeline.replay())
    assert data["actions"][1] == ["push=1", "pull=0.5"]
