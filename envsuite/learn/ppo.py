"""Proximal policy optimization for any world: masks, several agents, memory, self-play, exact resume.

    trainer = Trainer("DoorKey", {"size": 5}, steps=200_000)
    curve = trainer.train()
    matches.play(trainer.world, trainer.policy(), 1000)

The loss is PPO's clipped one (Schulman et al., 2017) with generalized advantages (Schulman et al., 2016). With a
*magnet*, the divergence from a slowly moving average of the weights is added: magnetic mirror descent (Sokota et al.,
2023), which makes self-play converge in games with hidden information.

- A *row* is an agent's decision. Agents that do not act have no row; their rewards belong to their last decision.
- Rewards from one decision of an agent to its next are added up; each decision discounts once.
- Where an episode is truncated, the value of the last observation stands for the rest; where it terminates, nothing.
- Decisions whose outcome lies after the end of a rollout, since the agent is waiting then, are not learned from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import torch
from torch.nn.functional import embedding_bag

from envsuite.compile import tiers
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import Between, Checked
from envsuite.core.world import World
from envsuite.interfaces.gym import seat_number
from envsuite.interfaces.single import as_world
from envsuite.learn import network
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.curve import Curve
from envsuite.learn.encoder import Encoder
from envsuite.learn.learned import Learned, Network, encoder_of
from envsuite.learn.pool import Pool
from envsuite.learn.rows import Rollout, advantages

Count = Annotated[int, Between(1, 2**31 - 1)]
Share = Annotated[float, Between(0, 1)]

#: Added to the deviation of advantages before they are divided by it, in units of values. Without it, PPO takes the
#: noise of values for a signal where no reward was found yet, and stops exploring.
LEAST = 0.03

Positive = Annotated[float, Between(0, 1e9)]

#: Stands for the return of a world's last episode before there is one: the mean with it is below any return.
NONE_YET = -1e300


class Trainer(metaclass=Checked):
    """Trains networks to play a world.

    Args:
        world: an id, a `World` class, or a `World`.
        params: the world's parameters.
        steps: transitions of worlds in all; rates and bonuses move from their first to their last value over them.
        seed: of the worlds, the weights and all draws.
        agents: names of the agents that learn; all by default.
        opponents: a `Pool`, or a policy or its name, which plays the agents that do not learn, and in a share of the
            episodes all seats but one.
        schedule: a function of the share of steps done, 0 to 1, that gives tunable parameters of the world.
        stages: a curriculum: pairs of parameters, which replace those of the world, and a mean return. The training
            begins with the first ones. When the last episodes of all `num_envs` worlds have this mean return, or more,
            the next stage begins; the last one is the world itself.
        num_envs: worlds that run at once.
        horizon: steps of each world from one update to the next.
        hidden, layers, memory: the network's width, its layers, and whether a GRU follows them.
        critic: "own" values the agent's observation; "state" the world's whole state, in training only.
        share: whether all agents share one network.
        rate, final_rate: Adam's step size, at first and at last.
        entropy, final_entropy: weight of the entropy bonus, at first and at last.
        magnet: weight of the divergence from the magnet; 0 for none.
        magnet_rate: the share by which the magnet moves to the network in each iteration.
        discount: of rewards, for each decision.
        trace: the lambda of generalized advantages.
        clip: bound of the ratio of probabilities.
        epochs, minibatches: how often each row is learned from, and in how many parts.
        max_norm: bound of the gradient's norm.

    Attributes:
        done: transitions of worlds so far.
        stage: the number of the present stage; `batch` plays its world.
        curve: the progress so far.
    """

    def __init__(
        self,
        world: Any,
        params: Mapping[str, Any] | None = None,
        steps: Count = 1_000_000,
        seed: Annotated[int, Between(0, 2**63 - 1)] = 0,
        agents: Sequence[str] | None = None,
        opponents: Any = None,
        schedule: Any = None,
        stages: Sequence[tuple[dict[str, Any], float]] = (),
        num_envs: Annotated[int, Between(1, 1_000_000)] = 64,
        horizon: Annotated[int, Between(1, 100_000)] = 64,
        hidden: Annotated[int, Between(1, 4096)] = 64,
        layers: Annotated[int, Between(1, 16)] = 2,
        memory: bool = False,
        critic: Literal["own", "state"] = "own",
        share: bool = True,
        rate: Positive = 1e-3,
        final_rate: Positive = 1e-4,
        entropy: Positive = 0.01,
        final_entropy: Positive = 0.001,
        magnet: Positive = 0.0,
        magnet_rate: Share = 0.05,
        discount: Share = 0.99,
        trace: Share = 0.95,
        clip: Positive = 0.2,
        epochs: Annotated[int, Between(1, 100)] = 3,
        minibatches: Annotated[int, Between(1, 10_000)] = 4,
        max_norm: Positive = 0.5,
    ):
        self.parameters: dict[str, Any]  # all of the above, set before
        torch.set_num_threads(1)  # for networks of this size, processes pay and threads do not
        self.world: World = as_world(world, dict(params or {}))
        self.world.require_actions("this PPO")
        everyone = self.world.agents
        self.learning = [seat_number(self.world, agent) for agent in (everyone if agents is None else agents)]
        self.opponents = opponents if isinstance(opponents, Pool) or opponents is None else Pool([opponents])
        pool = self.opponents
        if len(self.learning) < len(everyone) and (pool is None or pool.selves or not pool.policies):
            raise ParameterError(
                f"{self.world.id}: only {agents} learn, so the others need opponents, not older selves"
            )
        self.schedule, self.steps, self.seed, self.done = schedule, steps, seed, 0
        self.curve = Curve(self.world.id)
        self._setup(Network(hidden, layers, memory, self._groups(share), ()))
        self._worlds = [*(self._changed(changes) for changes, _ in stages), self.world]
        self.rng = np.random.default_rng([seed, 1])
        self.generator = torch.Generator().manual_seed(seed)
        self.enter(0)

    def _groups(self, share: bool) -> tuple[tuple[int, ...], ...]:
        return (tuple(self.learning),) if share else tuple((a,) for a in self.learning)

    def _changed(self, changes: Mapping[str, Any]) -> World:
        """The world of a stage."""
        made: World = type(self.world)(**{**self.world.parameters, **changes})

        def taken(world: World) -> tuple[Any, ...]:
            state = None if self.critic is None else Encoder([world.state_space()]).stamp
            return encoder_of(world).stamp, world.num_actions, world.agents, state

        if taken(made) != taken(self.world):
            raise ParameterError(
                f"{self.world.id}: the stage {changes} differs in observations, actions, agents or, for a critic of "
                "states, in these, so one network cannot learn it too"
            )
        return made

    # The networks.

    def _setup(self, shape: Network) -> None:
        """New weights and optimizers."""
        self.shape, own = shape, self.parameters
        self.encoder = encoder_of(self.world)
        outputs = {"policy": self.world.num_actions, "value": 1}
        rng = np.random.default_rng([self.seed, 0])
        sizes = shape.hidden, shape.layers, shape.memory
        made = [network.first_weights(self.encoder, outputs, *sizes, rng) for _ in shape.groups]
        self.critic = Encoder([self.world.state_space()]) if own["critic"] == "state" else None
        if self.critic is not None:
            values = {"values": len(self.world.agents)}
            made.append(network.first_weights(self.critic, values, shape.hidden, shape.layers, False, rng))
        self.nets = [{name: torch.tensor(a, requires_grad=True) for name, a in found.items()} for found in made]
        self.magnets = self._frozen() if own["magnet"] else None
        self.optimizers = [torch.optim.Adam(list(net.values()), own["rate"], eps=1e-5, fused=True) for net in self.nets]
        #: Values are learned in units of this, which is at least 1.
        self.scale = 1.0

    def _frozen(self) -> list[dict[str, torch.Tensor]]:
        return [{name: value.detach().clone() for name, value in net.items()} for net in self.nets]

    def network(self) -> Network:
        """A copy of the weights that play: the present ones, or the magnet's, which average those of the past."""
        nets = self.nets if self.magnets is None else self.magnets
        weights = tuple(
            {n: v.detach().numpy().copy() for n, v in net.items()} for net in nets[: len(self.shape.groups)]
        )
        return Network(self.shape.hidden, self.shape.layers, self.shape.memory, self.shape.groups, weights)

    def policy(self, greedy: bool = False) -> Learned:
        """The policy that plays `network()`."""
        return Learned.of(self.world, self.network(), greedy)

    def start_from(self, found: Network) -> None:
        """Take the weights of another network for the same observations and actions, the values' output excepted."""
        mine = [{name: value.shape for name, value in net.items() if not name.startswith("value")} for net in self.nets]
        if len(found.weights) != len(self.shape.groups) or any(
            {name: array.shape for name, array in weights.items() if name in own} != own
            for own, weights in zip(mine, found.weights)
        ):
            raise CheckpointError(f"a network for other observations, or of another size, cannot start {self.shape!r}")
        with torch.no_grad():
            for net, weights in zip(self.nets, found.weights):
                for name, array in weights.items():
                    net[name].copy_(torch.from_numpy(array))
        self.magnets = self._frozen() if self.magnets is not None else None

    # Playing.

    def enter(self, stage: int) -> None:
        """Start all worlds of a stage and the opponents; weights and draws stay as they are."""
        self.stage, world = stage, self._worlds[stage]
        num, count = self.parameters["num_envs"], len(world.agents)
        self.batch = Batch(world, num, compiled=tiers.VECTORS)
        self._memory = np.zeros((num, count, self.shape.hidden * self.shape.memory), np.float32)
        self._returns, self._rivals = np.zeros((num, count)), np.full(num, -1)
        self._ours, self._begins = np.zeros((num, count), np.bool_), np.ones(num, np.bool_)
        self._latest = np.full(num, NONE_YET)
        self.ended: list[float] = []
        self.lengths: list[float] = []
        if self.opponents is not None:
            self.opponents.enter(world, num, self.seed)
        self._tune()
        self.batch.start(self.seed)
        self._seat(np.ones(num, np.bool_))

    def playing(self) -> dict[str, np.ndarray]:
        """The state of the worlds and draws, as a checkpoint names it; arrays, most of them those in use."""
        return {
            "records": np.frombuffer(self.batch.records.tobytes(), np.uint8),
            "generator": np.frombuffer(self.generator.get_state().numpy().tobytes(), np.uint8),
            "memory": self._memory,
            "returns": self._returns,
            "rivals": self._rivals,
            "ours": self._ours,
            "begins": self._begins,
            "latest": self._latest,
        }

    def _tune(self) -> None:
        if self.schedule is not None:
            changes = self.schedule(min(1.0, self.done / self.steps))
            self.batch.world.retuned(changes).fill(self.batch.records)

    def _seat(self, where: np.ndarray) -> None:
        """Decide who plays the episodes that begin in worlds `where` (N,) bool."""
        ours = np.zeros((int(where.sum()), len(self.world.agents)), np.bool_)
        ours[:, self.learning] = True
        if self.opponents is not None:
            rivals = self.opponents.draw(self.rng, len(ours))
            if len(self.learning) == len(self.world.agents):
                alone = np.eye(len(self.world.agents), dtype=np.bool_)[self.rng.integers(ours.shape[1], size=len(ours))]
                ours = np.where((rivals >= 0)[:, None], alone, ours)
            elif (rivals < 0).any():
                rivals[rivals < 0] = self.rng.integers(len(self.opponents.members), size=(rivals < 0).sum())
            self._rivals[where] = rivals
            self.opponents.refresh(where)
        self._ours[where] = ours
        self._returns[where] = 0.0
        self._memory[where] = 0.0
        self._begins[where] = True

    def _logits(
        self, nets: Sequence[dict[str, torch.Tensor]], tables: Sequence[Any], codes: np.ndarray, plain: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Logits (N, A, K), values (N, A) and what is remembered, of the learning agents' networks."""
        num, count = codes.shape[:2]
        logits, values = np.zeros((num, count, self.world.num_actions), np.float32), np.zeros((num, count))
        memory = self._memory.copy()
        for group, net, rows in zip(self.shape.groups, nets, tables):
            seats = list(group)
            seen, numbers = (part[:, seats].reshape(num * len(seats), part.shape[2]) for part in (codes, plain))
            x = network.trunk(net, _bag(seen, rows), torch.from_numpy(numbers))
            if self.shape.memory:
                x = network.remember(torch, net, x, torch.from_numpy(memory[:, seats]).reshape(num * len(seats), -1))
                memory[:, seats] = x.reshape(num, len(seats), -1).numpy()
            logits[:, seats] = network.output(net, "policy", x).reshape(num, len(seats), -1).numpy()
            values[:, seats] = network.output(net, "value", x).reshape(num, len(seats)).numpy()
        return logits, values * self.scale, memory

    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.critic is not None
        return self.critic.encode(
            self.batch.world.state(self.batch.records, self.batch.observations), (self.batch.num,)
        )

    def _worths(self, seen: tuple[np.ndarray, np.ndarray], rows: Any) -> np.ndarray:
        """The central critic's values (N, A)."""
        x = network.trunk(self.nets[-1], _bag(seen[0], rows), torch.from_numpy(seen[1]))
        return network.output(self.nets[-1], "values", x).numpy() * self.scale

    @torch.no_grad()
    def _collect(self, teacher: Pool | None = None) -> Rollout:
        """Play `horizon` steps; where there is a `teacher`, it chooses the actions in the place of the networks."""
        batch, everyone = self.batch, range(len(self.world.agents))
        encoders = [self.encoder] * len(self.shape.groups) + ([] if self.critic is None else [self.critic])
        tables = [network.table(torch, net, encoder) for net, encoder in zip(self.nets, encoders)]
        steps: list[tuple[Any, ...]] = []
        before, states = self._memory.copy(), []

        def look() -> tuple[Any, ...]:
            codes, plain = self.encoder.encode(batch.observations, (batch.num, len(everyone)), everyone)
            logits, values, memory = self._logits(self.nets, tables, codes, plain)
            if self.critic is None:
                return codes, plain, logits, values, memory, None
            seen = self._state()
            return codes, plain, logits, self._worths(seen, tables[-1]), memory, seen

        for _ in range(self.parameters["horizon"]):
            codes, plain, logits, values, memory, seen = look()
            states.append(seen)
            masks, acting = batch.masks != 0, (batch.acting != 0) & self._ours
            begins = self._begins.copy()
            self._begins[:] = False
            logits[~masks] = -1e9
            lasts = torch.from_numpy(logits).log_softmax(-1)
            noise = torch.rand(lasts.shape, generator=self.generator).clamp_(1e-20).log_().neg_().log_()
            actions = (lasts - noise).argmax(-1)
            chances = lasts.gather(-1, actions[..., None])[..., 0].numpy()
            batch.actions[:] = np.where(acting, actions.numpy(), batch.actions)
            if teacher is not None:
                teacher.act(batch, np.zeros(batch.num, np.int64), acting)
                actions = torch.from_numpy(np.where(acting, batch.actions, 0))
            if self.opponents is not None:
                self.opponents.act(batch, self._rivals, ~self._ours)
            if self.shape.memory:
                self._memory = np.where(acting[..., None], memory, self._memory)
            batch.step()
            rewards, ended, over = batch.rewards.copy(), batch.ends.any(axis=0), batch.over()
            rest = np.zeros(rewards.shape)
            cut = batch.truncations & ~batch.terminations
            if cut.any():
                rest = np.where(cut, look()[3], 0.0)
            self._returns += rewards
            if over.any():
                self._finish(over)
                if teacher is not None:
                    teacher.refresh(over)
            steps.append(
                (codes, plain, masks, actions.numpy(), chances, values, acting, rewards, ended, rest, over, begins)
            )
        parts = [np.stack(part) for part in zip(*steps)]
        last = look()[3]
        waiting = ~((batch.acting != 0) & self._ours)
        seen = None if self.critic is None else tuple(np.stack(part) for part in zip(*states))
        return Rollout(*parts[:2], seen, *parts[2:], last, waiting, before)  # type: ignore[call-arg, arg-type]

    def _finish(self, over: np.ndarray) -> None:
        """Note the results of episodes that are over, and start the next ones."""
        ours, returns, rivals = self._ours[over], self._returns[over], self._rivals[over]
        mine = (returns * ours).sum(axis=1) / ours.sum(axis=1)
        self._latest[over] = mine
        self.ended += mine.tolist()
        self.lengths += self.batch.records["t"][over].astype(np.float64).tolist()
        met = rivals >= 0
        if self.opponents is not None and met.any():
            theirs = (returns * ~ours)[met].sum(axis=1) / (~ours[met]).sum(axis=1)
            self.opponents.report(rivals[met], (np.sign(mine[met] - theirs) + 1) / 2)
        self.batch.start(where=over)
        self._seat(over)

    # Learning.

    def train(self, until: int | None = None, progress: Callable[[dict[str, float]], None] | None = None) -> Curve:
        """Train until `until` transitions, by default all `steps`; `progress` gets each new row of the curve."""
        until = self.steps if until is None else until
        while self.done < until:
            begin = time.process_time()
            self._tune()
            share = min(1.0, self.done / self.steps)
            rollout = self._collect()
            self.done += self.batch.num * self.parameters["horizon"]
            losses = self._learn(rollout, share)
            stages = self.parameters["stages"]
            if stages:
                losses["stage"] = self.stage
            pool, every = self.opponents, self.batch.num * self.parameters["horizon"]
            if pool is not None and pool.selves and (self.done // every) % pool.every == 0:
                pool.add(self.policy(), self.batch.num, self.seed + self.done)
            row = self.curve.add(self.done, time.process_time() - begin, self.ended, self.lengths, losses)
            self.ended, self.lengths = [], []
            if self.stage < len(stages) and self._latest.mean() >= stages[self.stage][1]:
                self.enter(self.stage + 1)
            if progress is not None:
                progress(row)
        return self.curve

    def imitate(self, teacher: Any, steps: Count, progress: Callable[[dict[str, float]], None] | None = None) -> None:
        """Learn the actions of a policy and the values of its play (behavior cloning), before `train`.

        Args:
            teacher: a policy or its name, which plays the agents that learn, in the first stage.
            steps: transitions of worlds, which do not count as `steps` of the training.
            progress: gets the mean losses of each update.
        """
        if self.done:
            raise ParameterError("imitate comes before train")
        pool = Pool([teacher])
        pool.enter(self.batch.world, self.batch.num, self.seed)
        for _ in range(-(-steps // (self.batch.num * self.parameters["horizon"]))):
            losses = self._learn(self._collect(pool), 0.0, cloning=True)
            if progress is not None:
                progress(losses)
        self.enter(0)

    def _learn(self, rollout: Rollout, share: float, cloning: bool = False) -> dict[str, float]:
        """One update of all networks; when `cloning`, the actions of the rollout are the ones to choose."""
        own = self.parameters
        rate = own["rate"] + share * (own["final_rate"] - own["rate"])
        bonus = None if cloning else own["entropy"] + share * (own["final_entropy"] - own["entropy"])
        found, known = advantages(rollout, own["discount"], own["trace"])
        returns = found + rollout.values
        if known.any():
            size = float(np.sqrt(np.mean(returns[known] ** 2)))
            self.scale = max(
                1.0, size if self.done == known.shape[0] * known.shape[1] else 0.95 * self.scale + 0.05 * size
            )
        for optimizer in self.optimizers:
            optimizer.param_groups[0]["lr"] = rate
        tallies: dict[str, list[float]] = {"entropy": [], "divergence": [], "value_loss": []}
        for _ in range(own["epochs"]):
            for g, group in enumerate(self.shape.groups):
                for part in self._parts(known, list(group)):
                    if known[part].any():
                        self._update(g, rollout, part, known, found, returns, bonus, tallies)
            if self.critic is not None:
                self._update_critic(rollout, known, returns, tallies)
        if self.magnets is not None:
            with torch.no_grad():
                for net, magnet in zip(self.nets, self.magnets):
                    for name, value in magnet.items():
                        value.lerp_(net[name], own["magnet_rate"])
        return {name: float(np.mean(values)) for name, values in tallies.items() if values}

    def _parts(self, known: np.ndarray, seats: list[int]) -> list[tuple[np.ndarray, ...]]:
        """The minibatches of a group of agents, each as an index into (T, N, A).

        Without memory they are rows by chance; with it, worlds by chance with all their steps, (T, M).
        """
        count = self.parameters["minibatches"]
        if not self.shape.memory:
            mine = np.zeros_like(known)
            mine[:, :, seats] = known[:, :, seats]
            rows = np.nonzero(mine)
            order = torch.randperm(len(rows[0]), generator=self.generator).numpy()
            return [tuple(axis[part] for axis in rows) for part in np.array_split(order, count) if len(part)]
        steps = np.arange(len(known))[:, None]
        order = torch.randperm(known.shape[1], generator=self.generator).numpy()
        return [
            (steps, np.repeat(part, len(seats))[None], np.tile(seats, len(part))[None])
            for part in np.array_split(order, count)
            if len(part)
        ]

    def _hidden(self, net: Mapping[str, torch.Tensor], rollout: Rollout, part: tuple[np.ndarray, ...]) -> torch.Tensor:
        """What the network makes of a minibatch, (..., hidden)."""
        codes, plain = rollout.codes[part], rollout.plain[part]
        lead, count = codes.shape[:-1], plain[..., 0].size
        summed = _bag(codes.reshape(count, codes.shape[-1]), network.table(torch, net, self.encoder))
        x = network.trunk(net, summed, torch.from_numpy(plain.reshape(count, plain.shape[-1])))
        if not self.shape.memory:
            return x
        x = x.reshape(*lead, -1)
        _, worlds, seats = part
        past = torch.from_numpy(rollout.memory[worlds[0], seats[0]])
        begins = torch.from_numpy(rollout.begins[:, worlds[0]])[..., None]
        acting = torch.from_numpy(rollout.acting[part])[..., None]
        steps = []
        for t in range(lead[0]):
            past = torch.where(begins[t], 0.0, past)
            steps.append(network.remember(torch, net, x[t], past))
            past = torch.where(acting[t], steps[-1], past)
        return torch.stack(steps)

    def _update(
        self, g: int, rollout: Rollout, part: tuple[np.ndarray, ...], known: np.ndarray, found: np.ndarray,
        returns: np.ndarray, bonus: float | None, tallies: dict[str, list[float]],
    ) -> None:  # fmt: skip
        """A step of the optimizer of group `g` on a minibatch. Without a `bonus` for entropy, it clones the actions."""
        own, net = self.parameters, self.nets[g]
        use = torch.from_numpy(known[part])
        x = self._hidden(net, rollout, part)[use]
        masks = torch.from_numpy(rollout.masks[part])[use]

        def logarithms(hidden: torch.Tensor, weights: Mapping[str, torch.Tensor]) -> torch.Tensor:
            return network.output(weights, "policy", hidden).masked_fill(~masks, -1e9).log_softmax(-1)

        lasts = logarithms(x, net)
        chances = lasts.exp()
        actions = torch.from_numpy(rollout.actions[part])[use]
        taken = lasts.gather(-1, actions[:, None])[:, 0]
        entropy = -(chances * lasts).sum(-1).mean()
        if bonus is None:
            loss = -taken.mean()
        else:
            advantage = torch.from_numpy(found[part])[use].float()
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + LEAST * self.scale)
            ratio = (taken - torch.from_numpy(rollout.chances[part])[use]).exp()
            clipped = ratio.clamp(1 - own["clip"], 1 + own["clip"])
            loss = -torch.minimum(ratio * advantage, clipped * advantage).mean() - bonus * entropy
        if self.critic is None:
            wanted = torch.from_numpy(returns[part])[use].float() / self.scale
            error = (network.output(net, "value", x)[:, 0] - wanted).square().mean()
            loss = loss + 0.5 * error
            tallies["value_loss"].append(error.item())
        if self.magnets is not None:
            with torch.no_grad():
                pull = logarithms(self._hidden(self.magnets[g], rollout, part)[use], self.magnets[g])
            divergence = (chances * (lasts - pull)).sum(-1).mean()
            loss = loss + own["magnet"] * divergence
            tallies["divergence"].append(divergence.item())
        tallies["entropy"].append(entropy.item())
        self._descend(g, loss)

    def _update_critic(
        self, rollout: Rollout, known: np.ndarray, returns: np.ndarray, tallies: dict[str, list[float]]
    ) -> None:
        """An epoch of the central critic, on all states in which somebody's decision is learned from."""
        assert self.critic is not None and rollout.seen is not None
        rows = np.nonzero(known.any(axis=2))
        order = torch.randperm(len(rows[0]), generator=self.generator).numpy()
        for part in np.array_split(order, self.parameters["minibatches"]):
            at = tuple(axis[part] for axis in rows)
            if not len(part):
                continue
            net, codes, plain = self.nets[-1], rollout.seen[0][at], rollout.seen[1][at]
            rows_of = network.table(torch, net, self.critic)
            x = network.trunk(net, _bag(codes, rows_of), torch.from_numpy(plain))
            use = torch.from_numpy(known[at])
            wanted = torch.from_numpy(returns[at]).float() / self.scale
            error = (network.output(net, "values", x) - wanted)[use].square().mean()
            tallies["value_loss"].append(error.item())
            self._descend(-1, 0.5 * error)

    def _descend(self, g: int, loss: torch.Tensor) -> None:
        self.optimizers[g].zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.nets[g].values()), self.parameters["max_norm"])
        self.optimizers[g].step()


class _Bag(torch.autograd.Function):
    """`network.bag` in torch, whose own gradient takes ten times as long."""

    @staticmethod
    def forward(ctx: Any, codes: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(codes)
        ctx.rows = len(rows)
        return embedding_bag(codes, rows, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[None, torch.Tensor]:
        (codes,) = ctx.saved_tensors
        return None, torch.from_numpy(network.marks(codes.numpy(), ctx.rows, np.float32).T @ gradient.numpy())


def _bag(codes: np.ndarray, rows: torch.Tensor | None) -> torch.Tensor | None:
    """The sums of a table's rows, (M, hidden), for codes (M, n); None without a table."""
    return None if rows is None else _Bag.apply(torch.from_numpy(codes), rows)
