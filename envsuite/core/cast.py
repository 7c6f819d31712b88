"""`Cast`: the policy that plays each seat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, ParameterError, SnapshotError, suggest
from envsuite.core.parameters import is_integer
from envsuite.core.policy import CompiledPolicy, FunctionPolicy, Policy, make_policy
from envsuite.core.world import World


def seated(world: World, policies: Iterable[Any], whose: Iterable[str] = ()) -> list[Policy]:
    """Policies of a world, given by name, as a function or as they are; equal names give one policy.

    Args:
        world: the world.
        policies: names, policies, and functions that choose an action for an observation and a mask.
        whose: for each policy, the agent that it plays, for error messages.
    """
    made: dict[str, Policy] = {}
    found: list[Policy] = []
    names = iter(whose)
    for one in policies:
        who = next(names, "a player")
        if isinstance(one, str):
            if one not in made:
                made[one] = make_policy(one, world)
            one = made[one]
        elif callable(one) and not isinstance(one, (type, Policy)):
            one = FunctionPolicy(one)
        if not isinstance(one, Policy):
            raise ParameterError(f"{world.id}: {who} must be a policy's name, a Policy or a function, not {one!r:.60}")
        if isinstance(one, CompiledPolicy):
            theirs = one.world
            if (theirs.slot, theirs.slot_shape, theirs.num_actions, theirs.agents) != (
                world.slot, world.slot_shape, world.num_actions, world.agents,
            ) or theirs.control_spaces != world.control_spaces:  # fmt: skip
                raise ParameterError(f"policy {one.name!r} was made for {theirs.id} with other parameters or sizes")
        found.append(one)
    return found


class Cast:
    """The policies that play the seats of a world.

    Args:
        world: the world.
        given: a policy, its name or a function for all seats, a sequence with one for each, or a mapping from agents,
            by name or number; a `Cast` counts as its `seats`.
        seats: the numbers of the agents that are played; all by default. A mapping may name others, which are left out.
        default: the policy of seats that a mapping does not name; without a default, such a seat is an error.
        idle: the numbers of seats that need no policy.
        apart: whether seats with equal names get a policy each; otherwise they share one.

    Attributes:
        seats: the policy of every seat, by number.
        policies: these policies, each once.
    """

    def __init__(
        self,
        world: World,
        given: Any,
        *,
        seats: Collection[int] | None = None,
        default: str | Policy | None = None,
        idle: Collection[int] = (),
        apart: bool = False,
    ):
        self.world = world
        agents = world.agents
        wanted = list(range(len(agents)) if seats is None else seats)
        if isinstance(given, Cast):
            given = given.seats
        if isinstance(given, Mapping):
            named = {_number(world, agent): one for agent, one in given.items()}
        elif isinstance(given, Sequence) and not isinstance(given, str):
            if len(given) != len(wanted):
                needed = ", ".join(agents[a] for a in wanted)
                raise ParameterError(f"{world.id}: {len(given)} policies are given for {len(wanted)} agents: {needed}")
            named = dict(zip(wanted, given))
        else:
            named = dict.fromkeys(wanted, given)
        if default is not None:
            named = {**dict.fromkeys(wanted, default), **named}
        chosen = {a: named[a] for a in wanted if a in named}
        missing = [agents[a] for a in wanted if a not in chosen and a not in idle]
        if missing:
            raise ParameterError(f"{world.id}: nobody plays {', '.join(missing)}; the agents are {', '.join(agents)}")
        if apart:
            made = [seated(world, [one], [agents[a]])[0] for a, one in chosen.items()]
        else:
            made = seated(world, chosen.values(), (agents[a] for a in chosen))
        self.seats: dict[int, Policy] = dict(zip(chosen, made))
        self.policies: list[Policy] = list({id(policy): policy for policy in made}.values())
        self._parts = [(one, [a for a, policy in self.seats.items() if policy is one]) for one in self.policies]

    def __repr__(self) -> str:
        return f"Cast({', '.join(f'{self.world.agents[a]}={one.name}' for a, one in self.seats.items())})"

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """All forget the past, for `num` copies of the world; `seed` starts their streams."""
        for policy in self.policies:
            policy.reset(seed, num)

    def refresh(self, where: np.ndarray) -> None:
        """All forget the past in the copies where (N,) bool says so; their streams continue."""
        for policy in self.policies:
            policy.refresh(where)

    def choose(self, batch: Batch, where: np.ndarray | None = None, resting: Collection[int] = ()) -> None:
        """Write the actions of the seats that act into a batch; each policy is asked once for all its seats.

        Args:
            batch: of this world.
            where: (N,) bool, the records that count; all by default.
            resting: seats that another plays for now.
        """
        acting = (batch.acting[0] if batch.num == 1 else batch.acting.any(axis=0)).tolist()
        for policy, seats in self._parts:
            if resting:
                seats = [a for a in seats if a not in resting]
            for a in seats:
                if acting[a]:
                    break
            else:
                continue
            actions = policy.act_in(batch, seats, None if where is None else where[:, None])
            # A slice where the seats are neighbors: that is quicker.
            at = slice(seats[0], seats[-1] + 1) if seats[-1] - seats[0] < len(seats) else seats
            batch.actions[:, at] = checked(actions, policy, batch.actions[:, at])

    def get_state(self) -> bytes:
        """The memories of all policies: everything that their future actions depend on."""
        states = [policy.get_state() for policy in self.policies]
        return b"".join(len(state).to_bytes(8, "little") + state for state in states)

    def set_state(self, state: bytes) -> None:
        """Continue exactly from where `get_state` was called, or raise `SnapshotError` with nothing changed."""
        states = []
        for _ in self.policies:
            size = int.from_bytes(state[:8], "little")
            states.append(state[8 : 8 + size])
            state = state[8 + size :]
        restore(self.policies, states)


def restore(policies: Iterable[Policy], states: Iterable[bytes]) -> None:
    """Each policy continues from its state; `SnapshotError` if one cannot, with nothing changed."""
    policies = list(policies)
    held = [policy.get_state() for policy in policies]
    for policy, state in zip(policies, states):
        try:
            policy.set_state(state)
        except (ValueError, TypeError, LookupError, RecursionError) as problem:
            for one, before in zip(policies, held):
                one.set_state(before)
            raise SnapshotError(f"policy {policy.name!r} cannot continue from its state: {problem}") from None


def _number(world: World, agent: Any) -> int:
    """The number of an agent that is given by its name or number."""
    if agent in world.agents:
        return world.agents.index(agent)
    if is_integer(agent) and 0 <= agent < len(world.agents):
        return int(agent)
    near = suggest(agent, world.agents) if isinstance(agent, str) else ""
    raise ParameterError(f"{world.id} has no agent {agent!r}; the agents are {', '.join(world.agents)}{near}")


def checked(actions: Any, policy: Policy, like: np.ndarray) -> np.ndarray:
    """The actions that a policy chose for seats of a batch; `ActionError` unless they can replace those there."""
    actions = np.asarray(actions)
    if actions.shape != like.shape or actions.dtype.kind not in ("iu" if like.ndim == 2 else "fiu"):
        raise ActionError(
            f"policy {policy.name!r} must choose {'integers' if like.ndim == 2 else 'numbers'} of shape {like.shape}, "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    return actions
