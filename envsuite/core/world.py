"""`World`: what one environment declares. A world is a record, four kernels, a picture and a text."""

from __future__ import annotations

import contextlib
import re
import typing
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from gymnasium import spaces

from envsuite.core.errors import LevelError, ParameterError, SnapshotError
from envsuite.core.kernel import kernel
from envsuite.core.levels import LevelFields, parts_of, read_fields, write_fields
from envsuite.core.page import Page
from envsuite.core.parameters import Between as Between  # worlds take these from here
from envsuite.core.parameters import Checked, Parameter, check, layout, record_of, signature
from envsuite.core.parameters import Horizon as Horizon
from envsuite.core.random import TAPE
from envsuite.core.ranges import MANY, Ranges, bare, flag, free, of_parameters, within
from envsuite.core.record import as_views
from envsuite.core.treatment import Treatment
from envsuite.core.world_kinds import known_kinds

if typing.TYPE_CHECKING:
    from envsuite.core.tools import Tool
    from envsuite.render.scene import Scene


@kernel
def all_legal(s, agent, mask):
    """Every action is legal for every agent."""
    for action in range(mask.shape[0]):
        mask[action] = 1


#: Coordinates of points are smaller than this; pictures are at most a few hundred units wide.
_FAR = 1e6


class Kernels(NamedTuple):
    """The four compiled functions of a world. `s` is its record; agents are numbered from 0.

    - ``reset(s)`` starts an episode: `s.rng` is seeded, `s.params` is filled, `s.t` and the ends are zero. Every
      other field still holds its value from the last episode. Where `s.level_given` is set, the world's level
      fields have been filled from the user's level and must not be generated.
    - ``step(s, actions, rewards)`` is one transition. `actions` (A,) int64 are checked; it must ignore the entries of
      agents that do not act. `rewards` (A,) float64 are zero before, and `s.t` already counts this transition.
      Sets `s.terminated[a]` and `s.truncated[a]`.
    - ``observe(s, agent, out)`` writes every element of `out`, that agent's slot of the observation buffer.
    - ``legal(s, agent, mask)`` sets `mask[action] = 1` for legal actions; `mask` is zero before. An agent
      acts in this state exactly if some action is legal for it. Not called for agents whose episode is over. Without
      this kernel, all actions are always legal.
    """

    reset: Any
    step: Any
    observe: Any
    legal: Any = all_legal


class World(metaclass=Checked):
    """One environment. A subclass has `kernels` and calls `define` in its constructor; its docstring is its page.

    The class attributes are facts that tests, documentation and interfaces read. A constructor may set those that are
    not `ClassVar`, for facts that depend on the parameters.
    """

    kernels: ClassVar[Kernels]
    #: Whether agents move one at a time, all at once, or differently from phase to phase.
    turns: Literal["sequential", "simultaneous", "mixed"] = "simultaneous"
    #: Whether the rules draw random numbers, at a reset or during the episode.
    chance: bool = True
    #: Whether every agent sees the whole state.
    information: Literal["perfect", "imperfect"] = "imperfect"
    #: A kernel ``guess(s, agent)`` for search: it samples, by `s.rng`, what this agent does not know, from the chance
    #: distribution given the agent's observations. The other agents' choices are not used as evidence.
    guess: Any = None
    #: A kernel ``steer(s, controls, rewards)``: the transition of a world that is made with controls, in place of
    #: `step`. `controls` (A, D) float32 are finite and in their boxes. Machine code computes with 32 bits where all
    #: operands have 32, Python with 64: convert with `np.float64` first.
    steer: ClassVar[Any] = None
    #: Whether an agent's episode can end before that of the others.
    leaving: ClassVar[bool] = False
    #: How the rewards of the agents relate at every transition.
    utility: Literal["zero-sum", "identical", "general"] = "general"
    #: Whether the rewards of an agent are 0 before its last transition, so that `reward_range` bounds its return.
    paid_at_end: bool = False
    #: Whether an action can be illegal for an agent that acts.
    masked: bool = True
    #: LLVM's level of optimization for the loop over a batch (see `kernel.bind`).
    optimization: ClassVar[Annotated[int, Between(0, 3)]] = 3
    #: What kinds of world it is (see `envsuite.core.world_kinds`); the first one is its place in the documentation.
    kind: ClassVar[Sequence[str]] = ()
    #: How the rules were verified, in one line: by other implementations, published numbers, proofs.
    verified: ClassVar[str] = ""
    #: Parameters under which the world is checked too: other numbers of agents, other modes.
    variants: ClassVar[Sequence[Mapping[str, Any]]] = ()
    #: The policies that play in pictures, as ``policy`` or ``agent=policy,agent=policy``; without it, the world's first
    #: scripted policy does.
    shown: str = ""
    #: What the hidden performance measures, in one line; "" for a world that has none. A record has it as `performance`
    #: (A,) float64, of the episode so far: `reset` and `step` write it, infos and `state` show it, and no observation,
    #: text or picture of an agent does.
    performance: str = ""
    #: The secrets that `uncertainty` counts, in one line; "" in a world that counts none.
    counted: str = ""
    #: The cost of an agent's step with its costliest policy, as a rough multiple of that in other worlds; reference
    #: scores are means of fewer episodes where it is high.
    cost: ClassVar[Annotated[int, Between(1, 1000)]] = 1
    #: A function ``module:function`` for `envsuite score`, which calls it with the world, its policies by agent,
    #: ``seed`` and ``progress``, and shows the report that it returns (see `envsuite.evaluation.reports`).
    report: ClassVar[str] = ""
    #: The fields of the record that are the level, in a world whose levels are fields: see `core.levels.LevelFields`.
    level_fields: LevelFields = ()
    #: The names of all actions that a click or a drag can mean, as a regular expression.
    clickable: str = ".*"
    #: Keys of a window: key name, as pygame.key.name gives it, to action name.
    keys: Mapping[str, str] = {}
    #: Other words for action names, which a written answer may use; see `understand` too.
    synonyms: Mapping[str, str] = {}
    #: The act of speech that says nothing, in a world that has one; if there is one for each hearer, ``{}`` stands for
    #: its name. See `speech`.
    neutral: str = ""
    #: Sentences for acts of speech, which policies say in free talk: by the name of the act, in which each ``{}`` is a
    #: part that the sentences have in the same order.
    phrases: Mapping[str, Sequence[str]] = {}
    #: Why agents may not talk beside the game, in one line, as "players may not ..."; "" where they may.
    talk_forbidden: ClassVar[str] = ""
    #: The page for players, or one for each role that `page_role` names (see `envsuite.core.page`).
    player_page: Any = None
    #: Conditions of experiments with language agents, by name.
    treatments: ClassVar[Mapping[str, Treatment]] = {}

    #: The id under which the world was registered, or its class name.
    id: str
    #: The constructor's arguments, defaults included.
    parameters: dict[str, Any]
    #: Names of the agents, A of them.
    agents: tuple[str, ...]
    #: Names of each agent's actions; an action is an index into its agent's tuple. With controls, the names of the
    #: numbers that are an agent's action.
    action_names: tuple[tuple[str, ...], ...]
    #: The box of each agent's controls, (D,) float32; empty in a world whose actions have names.
    control_spaces: tuple[spaces.Box, ...]
    #: Each agent's actions as functions with arguments, in order; without them a language model takes actions by name.
    tools: tuple[tuple[Tool, ...], ...] = ()
    #: One space per agent: a Box, or a Dict of named Box and Discrete parts.
    observation_spaces: tuple[spaces.Space, ...]
    #: The dtype of the record, and the ranges of its fields.
    record: np.dtype
    ranges: Ranges
    #: The dtype of one agent's slot in the observation buffer, and its shape.
    slot: np.dtype
    slot_shape: tuple[int, ...]
    #: Bounds of one agent's reward in one transition.
    reward_range: tuple[float, float]
    #: Names of the parts of a vector reward with the bounds of one transition; empty for a scalar reward.
    objectives: dict[str, tuple[float, float]]

    def __new__(cls, **_: Any) -> Self:
        world = super().__new__(cls)
        world.id = cls.__name__
        return world

    def __repr__(self) -> str:
        usual = {name: parameter.default for name, parameter in signature(type(self)).items()}
        changed = [f"{name}={value!r}" for name, value in self.parameters.items() if repr(value) != repr(usual[name])]
        return f"{self.id}({', '.join(changed)})" if changed else self.id

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self.parameters, self.id)

    def define(
        self,
        *,
        agents: Sequence[str],
        actions: Sequence[str] | Mapping[str, Sequence[str]],
        observation: spaces.Space | Mapping[str, spaces.Space],
        fields: Sequence[tuple],
        params: Mapping[str, Any] | None = None,
        reward_range: tuple[float, float] = (-np.inf, np.inf),
        objectives: Mapping[str, tuple[float, float]] | None = None,
        controls: spaces.Box | Mapping[str, spaces.Box] | None = None,
    ) -> None:
        """Fix agents, actions, spaces and record; called once, at the end of a constructor.

        Args:
            agents: names, in the order of all per-agent arrays.
            actions: names of the actions, of all agents or by agent.
            observation: a space, of all agents or by agent (then a Dict each; parts of one name are the same space).
            fields: the record's own fields as NumPy takes them: ``(name, dtype)`` or ``(name, dtype, shape)``, with the
                ranges of their values (see `envsuite.core.ranges`).
            params: numbers that a user may tune, by name; they become `s.params` and may differ within a batch.
            reward_range: bounds of one agent's reward in one transition; follows from objectives where there are any.
            objectives: the parts of a vector reward by name, with the bounds of one transition. `step` then writes
                `s.objectives[agent, part]`, which is zero before. The core sets `rewards` to the sum of the parts
                weighted by `s.params.weights`, so `params` has "weights".
            controls: makes every action a row of numbers, (D,) float32 in a box with finite bounds, of all agents or by
                agent; `actions` then are the names of these numbers, and the class has `steer`. Every agent acts until
                its episode is over, and there are no masks.
        """
        facts = declared()
        check(type(self).__name__, facts, {name: getattr(self, name) for name in facts if hasattr(self, name)})
        known_kinds(type(self).__name__, self.kind)
        self.agents = tuple(agents)
        count = len(self.agents)
        self.objectives = dict(objectives or {})
        parts: list[tuple] = []
        if self.objectives:
            parts = [("objectives", free(np.float64), (count, len(self.objectives)))]
            reward_range = self._weighted_range((params or {})["weights"])
        by_agent = actions if isinstance(actions, Mapping) else dict.fromkeys(self.agents, actions)
        self.action_names = tuple(tuple(by_agent[agent]) for agent in self.agents)
        for agent, names in zip(self.agents, self.action_names):
            if len(set(names)) != len(names):
                raise ValueError(f"{type(self).__name__}: actions of {agent} share a name")
        self.control_spaces = () if controls is None else self._boxes(controls)
        if isinstance(observation, spaces.Space):  # tested first: a Dict space is a Mapping too
            self.observation_spaces = (observation,) * count
        else:
            self.observation_spaces = tuple(observation[agent] for agent in self.agents)
        self.slot, self.slot_shape = _slot(self.observation_spaces)
        self._params = record_of(type(self).__name__, params or {})
        ranged = [
            ("rng", free(np.uint64)),
            ("t", within(np.int64, 0, MANY)),
            ("terminated", flag(), (count,)),
            ("truncated", flag(), (count,)),
            ("level_given", within(np.uint8, 0, 0)),  # 1 only until `reset` has read the level
            ("params", of_parameters(self._params, signature(type(self)), self.parameters)),
            *([("performance", free(np.float64), (count,))] if self.performance else []),
            *parts,
            *fields,
        ]
        dtype = layout(type(self).__name__, ranged)
        self.ranges = Ranges(dtype)
        for _, path, _ in parts_of(self.level_fields):
            if path not in self.ranges.ends:
                raise ValueError(f"{type(self).__name__}: level_fields has {path!r}, which is no field with a range")
        self.record = bare(dtype)
        self.reward_range = reward_range

    def _boxes(self, controls: spaces.Box | Mapping[str, spaces.Box]) -> tuple[spaces.Box, ...]:
        """The box of each agent's controls, checked against the names of its numbers."""
        label = type(self).__name__
        if self.steer is None or self.turns != "simultaneous":
            raise ValueError(f"{label}: a world with controls has a kernel `steer` and simultaneous turns")
        boxes = tuple(controls if isinstance(controls, spaces.Box) else controls[agent] for agent in self.agents)
        for agent, names, box in zip(self.agents, self.action_names, boxes):
            if box.shape != (len(names),) or box.dtype != np.float32:
                raise ValueError(f"{label}: {agent} has {len(names)} controls, so their box is ({len(names)},) float32")
            if not (np.isfinite(box.low) & np.isfinite(box.high) & (box.low < box.high)).all():
                raise ValueError(f"{label}: the controls of {agent} have bounds that are not finite, or equal")
        self.masked = False
        return boxes

    @property
    def bounds(self) -> np.ndarray:
        """(2, A, D) float32: the least and the largest values of the controls; 0 where an agent has fewer than D."""
        found = np.zeros((2, len(self.agents), self.num_actions), np.float32)
        for a, box in enumerate(self.control_spaces):
            found[:, a, : len(box.low)] = box.low, box.high
        return found

    def require_actions(self, what: str) -> None:
        """Raise `ParameterError` in a world with controls, for something that needs actions with names."""
        if self.control_spaces:
            raise ParameterError(f"{what} needs actions with names; {self.id} has controls, which are numbers")

    def _weighted_range(self, weights: Sequence[float]) -> tuple[float, float]:
        """The bounds of the weighted sum of the objectives, or `ParameterError` if the weights do not fit them."""
        if len(weights) != len(self.objectives):
            names = ", ".join(self.objectives)
            raise ParameterError(f"{self.id}: {len(weights)} weights are given for {len(self.objectives)}: {names}")
        ends = np.sort([(w * low, w * high) for w, (low, high) in zip(weights, self.objectives.values())], axis=1)
        return float(ends[:, 0].sum()), float(ends[:, 1].sum())

    @property
    def exact_record(self) -> np.dtype:
        """The record with a tape, for enumerating chance (see `envsuite.core.chance`)."""
        # In front: behind the others, Numba would take a record with a tape for a subtype of one without.
        return np.dtype([("tape", TAPE), *((name, self.record[name]) for name in self.record.names or ())], align=True)

    @property
    def num_actions(self) -> int:
        """The length of a mask: the largest number of actions of any agent, or of controls."""
        return max(len(names) for names in self.action_names)

    @property
    def noop(self) -> int:
        """The action that every agent calls "noop", or -1."""
        found = {names.index("noop") if "noop" in names else -1 for names in self.action_names}
        return found.pop() if len(found) == 1 else -1

    @property
    def return_range(self) -> tuple[float, float]:
        """Bounds of an agent's return in one episode, infinite where they are not known."""
        low, high = self.reward_range
        if self.paid_at_end:
            return min(low, 0.0), max(high, 0.0)
        return 0.0 if low >= 0 else -np.inf, 0.0 if high <= 0 else np.inf

    def fill(self, records: np.ndarray) -> None:
        """Write this world's parameters into records."""
        records["params"] = self._params

    def retuned(self, params: Mapping[str, Any]) -> World:
        """This world with other tunable parameters; `ParameterError` if they change spaces, names, sizes or facts."""
        if not isinstance(params, Mapping):
            raise ParameterError(f"{self.id}: params={params!r:.60} must be a mapping from parameters to values")
        changed = type(self)(**{**self.parameters, **params})
        if name := self._parted(changed):
            raise ParameterError(f"{self.id}: {', '.join(params)} cannot change in a running environment ({name})")
        return changed

    def _parted(self, changed: World) -> str | None:
        """In what a running environment of another world would have to be another environment; None if in nothing."""
        fixed = (
            "record", "agents", "action_names", "control_spaces", "observation_spaces", "turns", "chance",
            "information", "utility",
        )  # fmt: skip
        return next((name for name in fixed if getattr(changed, name) != getattr(self, name)), None)

    def admit(self, records: np.ndarray) -> None:
        """Raise `SnapshotError` unless the rules can play on from these N records, which come from outside."""
        found = self.ranges.outside(records)
        if found is None and not self.leaving:
            over = (records["terminated"] | records["truncated"]) != 0
            apart = over.any(axis=1) != over.all(axis=1)
            found = (int(apart.argmax()), "the episode of some agents only is over") if apart.any() else None
        if found is None:
            found = self._unchangeable(records["params"])
        if found is None and type(self).contradiction is not World.contradiction:
            views = as_views(records)
            with np.errstate(all="ignore"):  # words wrap around, as in machine code
                problems = ((i, self.contradiction(views[i])) for i in range(len(records)))
                found = next(((i, problem) for i, problem in problems if problem), None)
        if found is not None:
            where = f" in world {found[0]}" if len(records) > 1 else ""
            raise SnapshotError(f"{self.id}: the state cannot be{where}: {found[1]}")

    def _unchangeable(self, params: np.ndarray) -> tuple[int, str] | None:
        """The first record in which a parameter has changed that decides sizes, spaces or facts, and what it is."""
        known = signature(type(self))
        for name in params.dtype.names or ():
            hint = known[name].hint if name in known else None
            other = (params[name] != self._params[name]).reshape(len(params), -1).any(axis=1)
            values = {} if hint is None else {repr(params[name][i]): i for i in np.flatnonzero(other)[::-1].tolist()}
            for i in values.values():
                value = params[name][i].tolist()
                choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
                if hint is bool or value in range(len(choices)):
                    value = bool(value) if hint is bool else choices[value]
                with contextlib.suppress(ParameterError):
                    if self._parted(type(self)(**{**self.parameters, name: value})):
                        return i, f"params.{name} is {params[name][i]}, and cannot change in a running environment"
        return None

    def described(self, agent: int, action: Any) -> str:
        """An action of this agent in words: its name, or its controls that differ from 0: ``left=0.5, up=1``."""
        names = self.action_names[agent]
        if not self.control_spaces:
            return names[action] if action >= 0 else "forfeits"
        return ", ".join(f"{name}={value:.3g}" for name, value in zip(names, action) if abs(value) >= 5e-4) or "0"

    def observation(self, s: Any, agent: int) -> Any:
        """The observation that `observe` writes for this agent, as kernels see it; texts and pictures read it."""
        out = as_views(np.zeros(self.slot_shape, self.slot))
        self.kernels.observe(s, agent, out)
        return out

    def legal_actions(self, s: Any, agent: int) -> list[int]:
        """The numbers of the actions that are legal for this agent now."""
        mask = as_views(np.zeros(self.num_actions, np.int8))
        if not (s.terminated[agent] or s.truncated[agent]):
            self.kernels.legal(s, agent, mask)
        return np.flatnonzero(mask).tolist()

    # Methods that a world may add.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The picture of a record, in the world's own units: for spectators all of it, or what one agent observes."""
        from envsuite.render.scene import text_scene

        return text_scene([f"{agent}: {self.text(s, k)}" for k, agent in enumerate(self.agents)])

    def text(self, s: Any, agent: int) -> str:
        """This agent's knowledge, in words; nothing that its observations do not show."""
        raise NotImplementedError(f"{type(self).__name__} has no text")

    def prompt(self, s: Any, agent: int) -> str:
        """The page for the player of this agent, before an episode: its role, the rules, its actions."""
        return self.page_of(s, agent).text(self.slots_of(s, agent))

    def page_of(self, s: Any, agent: int) -> Page:
        """The page for players that this agent's player reads."""
        if self.player_page is None:
            raise NotImplementedError(f"{type(self).__name__} has no page for players: see envsuite.core.page")
        return self.player_page if isinstance(self.player_page, Page) else self.player_page[self.page_role(s, agent)]

    def page_role(self, s: Any, agent: int) -> str:
        """The role by which `player_page` names an agent's page; by default its name without a number."""
        return re.sub(r"_\d+$", "", self.agents[agent])

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        """Slots of the page beside the parameters: numbers that follow from these, and the agent's role.

        An episode's page is written at its start, and nothing in it may be hidden from the agent.
        """
        return {}

    def slots_of(self, s: Any, agent: int) -> dict[str, Any]:
        """All slots of the page: the parameters as they are in this record, the agents, and `page_slots`."""
        tuned = {
            name: type(value)(getattr(s.params, name)) for name, value in self.parameters.items() if self._tunes(name)
        }
        others = [name for a, name in enumerate(self.agents) if a != agent]
        names = {"me": self.agents[agent], "others": others, "everyone": len(self.agents)}
        return {**self.parameters, **tuned, **names, **self.page_slots(s, agent)}

    def _tunes(self, name: str) -> bool:
        """Whether a parameter is a number that records hold as it is given."""
        value = self.parameters[name]
        fields = self._params.dtype.names or ()
        return name in fields and isinstance(value, int | float) and self._params[name].shape == ()

    def reply(self, s: Any, agent: int) -> str:
        """The text that a language agent gets when it must act: the result of its last action; by default `text`."""
        return self.text(s, agent)

    def legal_in_words(self, agent: int, mask: np.ndarray) -> str:
        """The legal actions of a mask in few words, where no list with slots is short; "" for such a list."""
        return ""

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """The action that a text means in a notation of the world's own; None for any other text.

        Numbers in it are in digits, and words like "I play" before it are left out; it is read before names are.
        """
        return None

    def batch_form(self, s: Any, agent: int) -> str:
        """How one answer gives all that an agent decides before anything else happens, in a sentence for a question.

        Its lines are in the notation of `understand`, which says for each decision which line is for it. They count for
        as long as the sentence stays the same. "" where each decision is asked for by itself.
        """
        return ""

    def messages(self, s: Any) -> list[tuple[int, str]]:
        """The messages between agents so far that can still be heard: number of the speaker, and words, in order."""
        return []

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """The numbers of those who hear what an agent says with a legal action; None if the action is no act of speech.

        The speaker may be among them. In free talk (see `envsuite.talk`) they are who hears the agent's own words.
        """
        return None

    def told(self, s: Any, agent: int, action: int) -> str:
        """What an act of speech in the record tells its hearers beside its name, in words; "" for most.

        A policy's sentence goes before it. So a desk's customer that reports what its phone shows says that.
        """
        return ""

    def unspoken(self, s: Any) -> Any:
        """The record, or a changed copy, as it looks to those who do not know the acts of speech.

        In free talk agents hear words only, and `reply`, `text` and `scene` are of this record.
        """
        return s

    def hearing(self, s: Any, speaker: int, hearer: int) -> int:
        """A number that changes when words that go with acts of speech arrive; by default after the transition."""
        return int(s.t)

    def talk_seats(self, s: Any) -> Collection[int]:
        """The numbers of the agents that can talk to each other now, in rounds of talk; by default all that play."""
        return [a for a in range(len(self.agents)) if not (s.terminated[a] or s.truncated[a])]

    def talk_teams(self, s: Any) -> Sequence[Collection[int]]:
        """The numbers of the agents of each team whose members can talk among themselves now, in rounds of talk."""
        return ()

    def talk_times(self, s: Any) -> Collection[str]:
        """Which channels are open in this state where agents talk by phases: "public", "team", "private".

        They then talk in rounds before its decisions. Channels are open before a vote, or in the night for a team.
        """
        return ()

    def uncertainty(self, s: Any, agent: int) -> tuple[int, float]:
        """How many secrets agree with all that this agent has observed in the episode, and their entropy in bits.

        The entropy is that of the exact posterior: the chance distribution given the agent's observations, rewards and
        actions. A secret that a level chose counts as drawn.
        """
        raise NotImplementedError(f"{type(self).__name__} does not count secrets")

    def state_space(self) -> spaces.Space:
        """The space of `state`; by default that of all agents' observations, stacked, and of their performance."""
        space, count = self.observation_spaces[0], len(self.agents)
        if isinstance(space, spaces.Dict) or len(set(map(repr, self.observation_spaces))) > 1:
            stacked = {name: _stacked(part, count) for name, part in _parts(self.observation_spaces).items()}
        elif not self.performance:
            return _stacked(space, count)
        else:
            stacked = {"observation": _stacked(space, count)}
        if self.performance:
            stacked["performance"] = spaces.Box(-np.inf, np.inf, (count,), np.float64)
        return spaces.Dict(stacked)

    def state(self, records: np.ndarray, observations: np.ndarray) -> Any:
        """The full state for centralised training, of N records at once; an array (N, ...), or a dict of such.

        By default the observations of all agents together, `observations` (N, A, ...). In a world with a hidden
        performance, a dict with the part "performance" (N, A) too.
        """
        if self.slot.names is not None:
            parts = {name: observations[name].copy() for name in self.slot.names}
        elif not self.performance:
            return observations.copy()
        else:
            parts = {"observation": observations.copy()}
        if self.performance:
            parts["performance"] = records["performance"].copy()
        return parts

    def contradiction(self, s: Any) -> str | None:
        """The contradiction in a record whose fields are each in their range, if it could break the rules.

        The rules break where they loop forever or reach past an array's end. Examples are a list of stones that should
        be a ring and is not, and a count of cards that differs from the cards. Only records from outside are checked.
        """
        return None

    def get_level(self, s: Any) -> dict[str, Any]:
        """The level that this episode started from, as plain data; by default the fields `level_fields`."""
        if not self.level_fields:
            raise LevelError(f"{type(self).__name__} has no levels")
        return write_fields(s, self.level_fields)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        """Fill the record's level fields from plain data, or raise `LevelError` saying what is wrong with it.

        By default a level is the fields `level_fields`, each in its range. A world whose levels must fit in other ways
        calls this first and checks its record then: after a `LevelError` the core drops the record.
        """
        if not self.level_fields:
            raise LevelError(f"{type(self).__name__} takes no level: remove options['level']")
        read_fields(s, level, self.level_fields, self.ranges, self.id)

    def pointed(self, s: Any, agent: int, point: Any, start: Any = None) -> int | None:
        """The action that a click at a point (x, y) means, or a drag to it from `start`; windows and pages ask this.

        None for anything that is no point, and far outside every picture: `click` and `drag` never get that.
        """
        if self.control_spaces or not is_point(point) or not (start is None or is_point(start)):
            return None
        found = self.click(s, agent, *point) if start is None else self.drag(s, agent, start, point)
        return None if found is None else int(found)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """The action that a click at a point of the agent's own picture means, or None; see `pointed`."""
        return None

    def drag(self, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
        """The action that two clicks at points of the agent's own picture mean, or a drag between them; or None."""
        return None


def is_point(given: Any) -> bool:
    """Whether something is two numbers that may be a place in a picture or near one."""
    return isinstance(given, list | tuple) and len(given) == 2 and all(map(_is_place, given))


def _is_place(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < _FAR


@cache
def declared() -> dict[str, Parameter]:
    """The facts that a world's class declares: the type and the default of each, for `parameters.check`.

    They are the attributes that have a default, and those that a constructor cannot set.
    """
    hints = typing.get_type_hints(World, localns={"Tool": object}, include_extras=True)
    own = {name: hint for name, hint in hints.items() if typing.get_origin(hint) is ClassVar}
    hints |= {name: typing.get_args(hint)[0] for name, hint in own.items()}
    facts = [name for name in hints if name in own or hasattr(World, name)]
    return {name: Parameter(hints[name], getattr(World, name, None)) for name in facts}


def _rebuilt(cls: type[World], parameters: dict[str, Any], id: str) -> World:
    world = cls(**parameters)
    world.id = id
    return world


def _parts(agents_spaces: Sequence[spaces.Space]) -> dict[str, spaces.Space]:
    parts: dict[str, spaces.Space] = {}
    for space in agents_spaces:
        if not isinstance(space, spaces.Dict):
            raise ValueError("agents whose observation spaces differ must each have a Dict space")
        for name, part in space.items():
            if parts.setdefault(name, part) != part:
                raise ValueError(f"the observation part {name!r} differs between agents")
    return parts


def _slot(agents_spaces: Sequence[spaces.Space]) -> tuple[np.dtype, tuple[int, ...]]:
    """The dtype and shape of one agent's slot in the observation buffer."""
    first = agents_spaces[0]
    if not isinstance(first, spaces.Dict):
        if any(space != first for space in agents_spaces):
            raise ValueError("agents whose observation spaces differ must each have a Dict space")
        return np.dtype(first.dtype), tuple(first.shape or ())
    fields = [(name, part.dtype, part.shape) for name, part in _parts(agents_spaces).items()]
    return np.dtype(fields, align=True), ()


def _stacked(space: spaces.Space, count: int) -> spaces.Space:
    if isinstance(space, spaces.Discrete):
        return spaces.MultiDiscrete(np.full(count, space.n))
    assert isinstance(space, spaces.Box)
    repeat = (count, *(1,) * len(space.shape))
    return spaces.Box(np.tile(space.low, repeat), np.tile(space.high, repeat), dtype=space.dtype.type)


def heard(before: list[tuple[int, str]], now: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The messages that are new: those of `now` that do not stand at the end of `before`.

    Both are results of a world's `messages`, one transition apart. Worlds drop the oldest messages, or all of them when
    a new conversation begins. If a list of the same length has the same words as before, nothing counts as new.
    """
    old = next(n for n in range(min(len(now), len(before)), -1, -1) if now[:n] == before[len(before) - n :])
    return now[old:]
