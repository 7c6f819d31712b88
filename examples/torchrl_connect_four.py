"""TorchRL's PPO learns ConnectFour by playing itself: both players share a network, which obeys masks.

Needs ``pip install torchrl "tensordict<0.15"``. Prints the loss and the mean length of games.
"""

try:
    import torch
    from tensordict.nn import (
        InteractionType,
        ProbabilisticTensorDictModule,
        ProbabilisticTensorDictSequential,
        TensorDictModule,
    )
    from torchrl.envs import PettingZooWrapper
    from torchrl.modules import MLP, MaskedCategorical, ValueOperator
    from torchrl.objectives import ClipPPOLoss
except ImportError:
    raise SystemExit('This example needs TorchRL: pip install torchrl "tensordict<0.15"') from None
import envsuite

SEEN, MASK, LOGITS = ("player", "observation"), ("player", "action_mask"), ("player", "logits")


def main(world="ConnectFour", iterations=20, steps=1000, epochs=4):
    """Learn for `iterations` of `steps` each; the losses."""
    # An agent that does not act has one action, which nothing is learned from: its probability is always 1.
    made = envsuite.make_parallel(world, flat="scaled", masks="infos", idle="noop")
    env = PettingZooWrapper(made, categorical_actions=True, use_mask=True, done_on_any=False)
    inputs, actions = made.observation_space("player_0").shape[0], made.action_space("player_0").n
    network = TensorDictModule(MLP(inputs, actions, num_cells=[64, 64]), [SEEN], [LOGITS])
    head = ProbabilisticTensorDictModule({"logits": LOGITS, "mask": MASK}, [("player", "action")],
                                         distribution_class=MaskedCategorical, return_log_prob=True,
                                         default_interaction_type=InteractionType.RANDOM)  # fmt: skip
    actor = ProbabilisticTensorDictSequential(network, head)
    value = ("player", "state_value")
    critic = ValueOperator(MLP(inputs, 1, num_cells=[64, 64]), [SEEN], [value])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    keys = {name: ("player", name) for name in ("action", "reward", "done", "terminated")}
    loss.set_keys(**keys, value=value, sample_log_prob=("player", "action_log_prob"))
    loss.make_value_estimator(gamma=0.99, lmbda=0.95)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    losses = []
    for _ in range(iterations):
        with torch.no_grad():
            data = env.rollout(steps, actor, break_when_any_done=False)
        for _ in range(epochs):
            with torch.no_grad():
                loss.value_estimator(data)
            parts = loss(data)
            total = sum(parts[name] for name in ("loss_objective", "loss_critic", "loss_entropy"))
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
        losses.append(total.item())
        games = max(int(data["next", "done"].sum()), 1)
        print(f"loss {losses[-1]:.3f}, games of {steps / games:.1f} moves")
    return losses


if __name__ == "__main__":
    main()
