"""The common part of all interfaces to one running world: spaces, views, text, pictures, snapshots, clones."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces

from envsuite import reading, registry
from envsuite.core import errors, snapshot, tools
from envsuite.core.batch import Batch
from envsuite.core.parameters import is_integer
from envsuite.core.world import World
from envsuite.interfaces import text as texts
from envsuite.interfaces.views import Views
from envsuite.talk.delivery import Delivery, TalkingBatch
from envsuite.talk.table import WARNING, Talk

RENDER_MODES = ["human", "rgb_array", "ansi", "rgb_array_list", "ansi_list"]

#: The window that follows an environment; it stands above the interfaces, hence by name.
_FOLLOWER = "envsuite.render.viewer:Follower"

_Method = TypeVar("_Method", bound=Callable[..., Any])

#: The source of a guarded method, with its parameters and what it passes on.
_GUARD = """\
def run{}:
    if self._busy:
        raise SharedError(self.world.id)
    self._busy, self._changed = True, False
    try:
        return method({})
    except BaseException as problem:
        if self._changed or not isinstance(problem, EnvsuiteError):
            self._ready, self._broken_by = False, type(problem).__name__
        raise
    finally:
        self._busy = False
"""


def as_world(world: Any, params: Mapping[str, Any]) -> World:
    """A world from its id, its class, or itself."""
    if isinstance(world, World):
        if params:
            raise errors.ParameterError(f"{world.id} is made already; it takes no parameters ({', '.join(params)})")
        return world
    if isinstance(world, type) and issubclass(world, World):
        return registry.build_class(world, params)
    return registry.build(world, params)


def check_seed(seed: Any) -> int:
    """A seed as an int from 0 to 2**64 - 1, or `ParameterError`."""
    if not is_integer(seed) or not 0 <= int(seed) < 2**64:
        raise errors.ParameterError(f"seed={seed!r} must be an integer from 0 to 2**64 - 1")
    return int(seed)


def checked_options(world: World, options: Any, known: Collection[str] = ("level", "params")) -> Mapping[str, Any]:
    """The options of a reset; unknown ones are ignored, as the ecosystem's checkers want, with a warning."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise errors.ParameterError(
            f"{world.id}: options={options!r:.60} must be a mapping with {', '.join(known)}, or None"
        )
    for name in options:
        if name not in known:
            gymnasium.logger.warn(f"{world.id}: reset ignores the option {name!r}{errors.suggest(str(name), known)}")
    return options


def _talk(protocol: Any) -> Talk:
    """How agents talk by a protocol, which is a thing of the models above; `ParameterError` for anything else."""
    talk = getattr(protocol, "talk", None)
    if not isinstance(talk, Talk):
        raise errors.ParameterError(f'protocol={protocol!r:.60} must be a Protocol, such as Protocol(talk="beside")')
    return talk


def _made(world: World, talk: Talk, options: Mapping[str, Any]) -> tuple[Batch, Delivery | None]:
    """A batch of one, and what its agents say, if they have words of their own."""
    if not talk:
        return Batch(world, 1, **options), None
    batch = TalkingBatch(world, talk, **options)
    return batch, batch.talk


def agent_number(world: World, agent: Any) -> int:
    """The number of an agent by its name, or `AgentError`."""
    if not isinstance(agent, str) or agent not in world.agents:
        raise errors.AgentError(f"{world.id} has no agent {agent!r:.60}{errors.suggest(str(agent), world.agents)}")
    return world.agents.index(agent)


def fresh_seed() -> int:
    """A seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def action_spaces(world: World) -> tuple[spaces.Space, ...]:
    """The action space of each agent: a `Discrete`, or the `Box` of its controls.

    They are the interface's own, because each has a random stream.
    """
    if world.control_spaces:
        return tuple(spaces.Box(box.low, box.high, dtype=np.float32) for box in world.control_spaces)
    return tuple(spaces.Discrete(len(names)) for names in world.action_names)


def as_controls(world: World, given: Any, shape: tuple[int, ...], whose: str = "") -> np.ndarray:
    """Controls as float32 of the batch's width, or `ActionError` unless they are numbers of this shape.

    `Batch` checks their values.
    """
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.array(None)
    if found.shape != shape or found.dtype.kind not in "fiu":
        what = f"the controls of {whose}" if whose else "controls"
        raise errors.ActionError(f"{world.id}: {what} must be numbers of shape {shape}, not {given!r:.60}")
    rows = np.zeros((*shape[:-1], world.num_actions), np.float32)
    with np.errstate(over="ignore"):  # what becomes infinite is refused
        rows[..., : shape[-1]] = found
    return rows


def padded(world: World, action: Any) -> Any:
    """An agent's action as a batch holds it: its controls, with zeros where others have more."""
    return np.pad(action, (0, world.num_actions - len(action))) if np.ndim(action) else action


def _viewer(slot: np.ndarray, space: spaces.Space) -> Callable[[], Any]:
    """A function that copies a slot of the observation buffer into an element of the space."""
    if not isinstance(space, spaces.Dict):
        return slot.copy
    parts = [(name, slot[name], isinstance(part, spaces.Discrete)) for name, part in space.items()]
    return lambda: {name: np.int64(view) if discrete else view.copy() for name, view, discrete in parts}


def _with_mask(view: Callable[[], Any], mask: Callable[[], np.ndarray]) -> Callable[[], Any]:
    """A function that gives a view and a mask."""
    return lambda: {"observation": view(), "action_mask": mask()}


def alone(method: _Method) -> _Method:
    """A method that refuses to run while another one of the same environment does.

    Machine code runs without the lock of the interpreter, so another thread could change actions between their check
    and their use. No other thread runs between reading and setting the flag: Python switches only at calls and loops.
    After an interrupt, and after any other error that may have come between two parts of a transition, the environment
    is not ready. Errors of ours leave everything as it was, unless the method has set `_changed`.

    The wrapper is compiled with the method's own parameters: one that takes any arguments costs three times as much.
    """
    taken = [one.replace(annotation=inspect.Parameter.empty) for one in inspect.signature(method).parameters.values()]
    passed = ", ".join(f"{one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else one.name for one in taken)
    scope: dict[str, Any] = {"method": method, "SharedError": errors.SharedError, "EnvsuiteError": errors.EnvsuiteError}
    exec(_GUARD.format(inspect.Signature(taken), passed), scope)
    return functools.wraps(method)(scope["run"])  # type: ignore[return-value]


def require_ready(env: Any) -> None:
    """Raise `NotReadyError` unless an interface has been reset, and no call since has ended in the middle."""
    if not env._ready:
        why = f"{env._broken_by} interrupted the last transition: " if env._broken_by else ""
        raise errors.NotReadyError(f"{env.world.id}: {why}call reset() first")


class StartLevel(dict[str, Any]):
    """The level of an episode as plain data; notebooks show the world's picture of a start from it.

    It is equal to a `dict`, and its copies are plain ones. In the picture, what the level leaves to chance is drawn
    with seed 0.
    """

    def __init__(self, level: Mapping[str, Any], world: World):
        super().__init__(level)
        self._world = world

    def __reduce__(self) -> Any:
        return dict, (dict(self),)

    def _repr_svg_(self) -> str | None:
        batch = Batch(self._world, 1, compiled=False)
        try:
            batch.start(0, self)
        except errors.LevelError:  # after changes that the world does not take
            return None
        return self._world.scene(batch.record()).svg()


class Single(snapshot.Copies):
    """One running world. `Parallel`, `AEC` and `Seat` derive from it.

    Where the world has objectives, infos hold "vector_reward" (M,) float64: the part of each objective in the reward
    that comes with them. Where it has a hidden performance, they hold "performance", the agent's in the episode so far.
    `Oversight` and `Uncertainty`, in `envsuite.episodes`, add entries of their own.

    Where agents talk, they hold "heard": what the agent has heard since its last action, in order, as mappings with
    "from" (a name), "to" (names) and "text".

    Attributes:
        world: the `World`.
        batch: its `Batch` of one.
        talk: what agents say, a `Delivery`; None where they have no words of their own.
        views: what agents see, see `envsuite.interfaces.views.Views`.
        render_mode: None or one of `RENDER_MODES`.
    """

    kind = "single"

    def __init__(
        self,
        world: Any,
        render_mode: str | None,
        on_illegal: str,
        compiled: bool | None,
        views: Mapping[str, Any],
        params: Mapping[str, Any],
        protocol: Any = None,
    ):
        self.world = as_world(world, params)
        self.views = Views(self.world, **views)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise errors.ParameterError(f"render_mode={render_mode!r} must be None or one of {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self.on_illegal = on_illegal
        self._protocol = protocol
        options: dict[str, Any] = {"on_illegal": on_illegal, "compiled": compiled, "background": True}
        self.batch, self.talk = _made(self.world, Talk() if protocol is None else _talk(protocol), options)
        self.possible_agents = list(self.world.agents)
        self.metadata: dict[str, Any] = {
            "name": self.world.id,
            "render_modes": RENDER_MODES,
            "render_fps": 8,
            "is_parallelizable": True,
        }
        self._numbers = {agent: k for k, agent in enumerate(self.possible_agents)}
        self._action_spaces = action_spaces(self.world)
        self._observation_spaces = self.views.with_masks(self._action_spaces)
        self._sizes = [len(names) for names in self.world.action_names]
        self._identity = snapshot.identity(self.world, self.kind)
        #: The least integer that is no action of each agent; 0 with controls, where none is.
        self._counts = [0] * len(self._sizes) if self.world.control_spaces else self._sizes
        self._ready = self._busy = False
        self._frames: list[Any] = []
        self._shape: tuple[int, ...] | None = None  # of frames
        self._viewer: Any = None
        agents = range(len(self._sizes))
        # Views of the batch's buffers, which never move.
        self._vector_rewards = self.batch.vector_rewards[0] if self.world.objectives else None
        self._slots = [self.batch.observations[0, a, ...] for a in agents]
        self._mask_rows = [self.batch.masks[0, a, : self._sizes[a]] for a in agents]
        self._views: list[Callable[[], Any]]
        if self.views.own:
            self._views = [_viewer(*one) for one in zip(self._slots, self.world.observation_spaces)]
        else:
            self._views = [partial(self._seen, a) for a in agents]
        #: By agent, a function that gives a copy of the mask that the agent is shown.
        self._masks: list[Callable[[], np.ndarray]]
        if self.views.idle is None:
            self._masks = [row.copy for row in self._mask_rows]
        else:
            self._masks = [partial(self._mask_or_idle, a) for a in agents]
        if self.views.masked:
            self._views = [_with_mask(*one) for one in zip(self._views, self._masks)]

    # Agents and their observations.

    def number(self, agent: Any) -> int:
        """The number of an agent by its name."""
        try:
            return self._numbers[agent]
        except (KeyError, TypeError):
            return agent_number(self.world, agent)

    def observation_space(self, agent: str) -> spaces.Space:
        """The agent's observation space, always the same object."""
        return self._observation_spaces[self.number(agent)]

    def action_space(self, agent: str) -> spaces.Space:
        """The agent's action space, always the same object."""
        return self._action_spaces[self.number(agent)]

    @property
    def vector_reward_space(self) -> spaces.Box:
        """The space (M,) of "vector_reward" in infos; an `AttributeError` in a world without objectives."""
        # MO-Gymnasium's name, `reward_space`, says that step returns vectors: TorchRL expects them then.
        if not self.world.objectives:
            raise AttributeError(f"{self.world.id} has no objectives, hence no vector_reward_space")
        low, high = np.array(list(self.world.objectives.values()), np.float64).T
        return spaces.Box(low, high, dtype=np.float64)

    def action_mask(self, agent: str) -> np.ndarray:
        """(K,) int8: 1 where an action of this agent is legal now; if it does not act, zeros or what `idle` chose.

        In a world with controls, where infos have no mask: 1 for each number while the agent acts.
        """
        return self._masks[self.number(agent)]()

    def _mask_or_idle(self, a: int) -> np.ndarray:
        if self.batch.acting[0, a]:
            return self._mask_rows[a].copy()
        return self.views.idle[a, : self._sizes[a]].copy()  # type: ignore[index]

    def _info_of(self, a: int, vector_rewards: np.ndarray | None) -> dict[str, Any]:
        """The info of agent number `a`; `vector_rewards` (A, M) in a world with objectives."""
        info: dict[str, Any] = {} if self.world.control_spaces else {"action_mask": self._masks[a]()}
        if vector_rewards is not None:
            info["vector_reward"] = vector_rewards[a].copy()
        if self.world.performance:
            info["performance"] = float(self.batch.records["performance"][0, a])
        for reporter in self.batch.reporters:
            info |= {name: part[0, a].item() for name, part in reporter.infos().items()}
        if self.talk is not None:
            info["heard"] = self.talk.heard(a)
        return info

    def _view(self, a: int) -> Any:
        """The observation of agent number `a` as its space has it; the caller's own."""
        return self._views[a]()

    def _seen(self, a: int) -> np.ndarray:
        """The view of agent number `a`, as a picture or flat."""
        return self.views.seen(self.batch, [a])[0, 0]

    @property
    def state_space(self) -> spaces.Space:
        """The space of `state()`."""
        return self.world.state_space()

    def state(self) -> Any:
        """The full state for centralised training."""
        self._require_ready()
        state = self.world.state(self.batch.records, self.batch.observations)
        return {name: part[0] for name, part in state.items()} if isinstance(state, dict) else state[0]

    # Episodes.

    def _start(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Reset the world. Options: "level", "params"."""
        options = checked_options(self.world, options)
        if seed is not None:
            seed = check_seed(seed)
        elif not self._ready:
            seed = fresh_seed()
        self.batch.start(seed, options.get("level"), options.get("params"))
        if self.talk is not None and seed is not None:
            self.talk.seed = seed
        self._ready = self._changed = True

    def _require_ready(self) -> None:
        require_ready(self)

    def _checked_action(self, action: Any, a: int) -> Any:
        if self.world.control_spaces:
            return as_controls(self.world, action, (self._sizes[a],), self.world.agents[a])
        if not is_integer(action) or not -(2**63) <= action < 2**63:
            raise errors.ActionError(
                f"{self.world.id}: the action of {self.world.agents[a]} must be an integer from 0 to "
                f"{self._sizes[a] - 1}, not {action!r:.60}"
            )
        return int(action)

    @property
    def level(self) -> dict[str, Any]:
        """The level that this episode started from, as plain data; give it to ``reset(options={"level": level})``.

        In notebooks it shows its picture. `LevelError` in a world without levels.
        """
        self._require_ready()
        return StartLevel(self.world.get_level(self.batch.record()), self.world)

    # Text.

    def say(self, agent: str, text: str, to: str | Collection[str] = "all") -> str:
        """Say words with the agent's next act of speech, or with its next action where ``when="turn"``.

        They take the place of words that wait for it already; "" takes these back. The others find them in their infos
        under "heard", and the recording in `Replay.words`.

        Args:
            agent: the name of the speaker.
            text: the words.
            to: "all" for all whom the act reaches, or the names of some of them.

        Returns:
            The words as the others will hear them: on one line, clean, and cut where they are too many.

        Raises:
            ActionError: the agent cannot speak now, or not to these agents, or has no words left.
            AgentError: there is no such agent.
            ParameterError: the environment was made without talk.
        """
        self._require_ready()
        if self.talk is None:
            raise errors.ParameterError(
                f'{self.world.id}: agents have no words here: make it with protocol=Protocol(talk="beside")'
            )
        return self.talk.say(self.number(agent), text, to)

    def _known(self) -> Any:
        """The record as texts and agents' pictures are made from it."""
        self._require_ready()
        return self.batch.record() if self.talk is None else self.talk.known

    def text(self, agent: str) -> str:
        """This agent's present knowledge, in words."""
        return self.world.text(self._known(), self.number(agent))

    def action_names(self, agent: str, legal: bool = False) -> list[str]:
        """The names of the agent's actions, or of its controls, in order; only those legal now with `legal`."""
        a = self.number(agent)
        return texts.legal_names(self.world, a, self._mask_rows[a]) if legal else list(self.world.action_names[a])

    def parse_action(self, agent: str, answer: str) -> Any:
        """The action that a written answer names; see `envsuite.reading`."""
        a = self.number(agent)
        return reading.read(self.world, a, answer, np.flatnonzero(self._mask_rows[a]).tolist(), self.batch.record())

    def rules(self) -> str:
        """The world's documentation page."""
        return texts.rules(self.world)

    # Language agents that call functions.

    def prompt(self, agent: str) -> str:
        """The system prompt of this agent for the running episode."""
        self._require_ready()
        told = self.world.prompt(self.batch.record(), self.number(agent))
        return told if self.talk is None or not self.talk.talk.warning else f"{told}\n\n{WARNING}"

    def tools(self, agent: str, legal: bool = False) -> list[dict[str, Any]]:
        """The agent's actions as functions, with JSON Schema; only those legal now with `legal`."""
        a = self.number(agent)
        return tools.schemas(self.world, a, self._mask_rows[a] if legal else None)

    def parse_call(self, agent: str, call: Mapping[str, Any]) -> Any:
        """The action that a call ``{"name": ..., "arguments": {...}}`` of the agent means."""
        return tools.parse_call(self.world, self.number(agent), call)

    def reply(self, agent: str) -> str:
        """The result of the agent's last action, in words, and the information for its next one."""
        return self.world.reply(self._known(), self.number(agent))

    # Snapshots and copies.

    def _extras(self) -> list[bytes]:
        """The parts of the interface's own state."""
        return []

    def _set_extras(self, parts: list[bytes]) -> None:
        """Take the parts back, or `SnapshotError` with nothing changed; the batch has its outputs already."""

    def get_state(self) -> bytes:
        self._require_ready()
        words = [] if self.talk is None else [self.talk.to_bytes()]
        return snapshot.pack(self._identity, [self.batch.records.tobytes(), *self._extras(), *words])

    @alone
    def set_state(self, state: bytes) -> None:
        count = 1 + len(self._extras()) + (self.talk is not None)
        records, *extras = snapshot.unpack(self._identity, state, count)
        with self.batch.restored(records):
            held = None if self.talk is None else self.talk.from_bytes(extras.pop())
            self._set_extras(extras)
        if self.talk is not None and held is not None:
            self.talk.take(held)
        self._ready = True

    def _given(self) -> tuple[Any, ...]:
        return (self.world,)

    def _options(self) -> dict[str, Any]:
        return {
            "render_mode": self.render_mode,
            "on_illegal": self.on_illegal,
            "compiled": self.batch.compiled,
            **({} if self._protocol is None else {"protocol": self._protocol}),
            **self.views.options,
        }

    # Pictures.

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.world!r})"

    def _repr_svg_(self) -> str | None:
        return self.scene().svg() if self._ready else None

    def scene(self, agent: str | None = None) -> Any:
        """The world's picture as a `Scene`: all of it, or what one agent may see."""
        self._require_ready()
        return self.world.scene(
            *((self.batch.record(), None) if agent is None else (self._known(), self.number(agent)))
        )

    def render(self) -> Any:
        """A picture as `render_mode` says: an array (H, W, 3) uint8, a text, or for "human" a window and None.

        All arrays of an environment have one shape, that of the first; larger scenes are drawn smaller. The modes that
        end in ``_list`` give all pictures since the last call.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(f"{self.world.id} has no render_mode; choose one of {', '.join(RENDER_MODES)}")
            return None
        if self.render_mode.endswith("_list"):
            frames, self._frames = self._frames, []
            return frames
        return self._picture(self.render_mode)

    def _picture(self, mode: str) -> Any:
        if mode == "ansi":
            from envsuite.render.terminal import terminal

            return terminal(self.scene(), color=False)
        if mode == "rgb_array":
            from envsuite.render.frames import framed

            frame = framed(self.scene(), self._shape)
            self._shape = frame.shape
            return frame
        from envsuite.render.window import Window

        if self._viewer is None:
            self._viewer = registry.resolve(_FOLLOWER)(Window(self.world.id), self.world, self.metadata["render_fps"])
        self._require_ready()
        self._viewer.follow(self.batch)
        self._viewer.present()  # raises once the user has closed the window
        return None

    def _moved(self) -> None:
        """After a reset or a transition: windows and lists of pictures follow by themselves."""
        if self.render_mode is None:
            return
        if self.render_mode == "human":
            self._picture("human")
        elif self.render_mode.endswith("_list"):
            self._frames.append(self._picture(self.render_mode.removesuffix("_list")))

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._viewer is not None:
            self._viewer.window.close()
            self._viewer = None
