"""PPO in one file, as CleanRL writes it: seven agents of a commons share a network. Prints their mean return.

`Vector.flatten` makes every agent of every world a row of a Gymnasium `VectorEnv`. Needs PyTorch.
"""

try:
    import torch
    from torch import nn
except ImportError:
    raise SystemExit("This example needs PyTorch: pip install torch") from None
import envsuite


def main(world="Harvest", updates=20, num_envs=16, steps=64, epochs=4, minibatches=8, seed=0, **params):
    """Learn for `updates` of `steps` transitions in `num_envs` worlds; the losses."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # so small a network gains nothing by more
    envs = envsuite.make_vec(world, num_envs, flat="scaled", idle="noop", autoreset="same_step", **params).flatten()
    rows, (inputs,), actions = envs.num_envs, envs.single_observation_space.shape, envs.single_action_space.n
    policy, value = (
        nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))
        for outputs in (int(actions), 1)
    )
    parameters = [*policy.parameters(), *value.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-3)

    def play(seen, masks):
        return torch.distributions.Categorical(logits=policy(seen).masked_fill(~masks, -1e9))

    def tensors(seen, infos):
        return torch.from_numpy(seen), torch.from_numpy(infos["action_mask"]).bool()

    seen, masks = tensors(*envs.reset(seed=seed))
    losses = []
    for update in range(updates):
        data = []
        with torch.no_grad():
            for _ in range(steps):
                chosen = play(seen, masks)
                action = chosen.sample()
                observations, rewards, ended, cut, infos = envs.step(action.numpy())
                rewards, over = torch.from_numpy(rewards).float(), torch.from_numpy(ended | cut).float()
                data.append((seen, masks, action, chosen.log_prob(action), value(seen)[:, 0], rewards, over))
                seen, masks = tensors(observations, infos)
            later, gain, gains = value(seen)[:, 0], torch.zeros(rows), []
            for *_, now, reward, over in reversed(data):  # generalized advantage estimation
                gain = reward + 0.99 * later * (1 - over) - now + 0.99 * 0.95 * (1 - over) * gain
                gains.insert(0, gain)
                later = now
        old = [torch.cat(part) for part in zip(*data)]
        gains = torch.cat(gains)
        for _ in range(epochs):
            for at in torch.randperm(len(gains)).chunk(minibatches):
                some, legal, action, before, now, *_ = (part[at] for part in old)
                chosen, gain = play(some, legal), gains[at]
                ratio = (chosen.log_prob(action) - before).exp()
                scaled = (gain - gain.mean()) / (gain.std() + 1e-8)
                loss = -torch.min(ratio * scaled, ratio.clamp(0.8, 1.2) * scaled).mean()
                loss += 0.5 * (value(some)[:, 0] - now - gain).square().mean() - 0.01 * chosen.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
        losses.append(loss.item())
        print(f"{(update + 1) * steps * rows:,} moves: {old[5].mean():.4f} reward per move, loss {losses[-1]:.3f}")
    return losses


if __name__ == "__main__":
    main()
