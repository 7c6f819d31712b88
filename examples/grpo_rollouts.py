"""A group of rollouts from one start, as group-relative trainers (GRPO) take them. Prints rewards and advantages.

`sample` stands for a model that samples; a trainer puts its own generation there. Each rollout has what a trainer
needs: the messages (those with the role "assistant" get gradients), a reward for each turn, and the advantage within
the group.
"""

import random

from envsuite import rollouts


def sampler(seed):
    """A "model" that samples legal actions."""
    chance = random.Random(seed)

    async def sample(messages):
        legal = messages[-1]["content"].rpartition("Your legal actions: ")[2].split("; ")
        return f"Action: {chance.choice(legal)}"

    return sample


def main(size=8, starts=2, id="TicTacToe", opponents="tactical"):
    """Groups of `size` episodes from each of some starts; all rollouts."""
    groups = [rollouts(id, sampler(seed), size, seed, opponents=opponents) for seed in range(starts)]
    for seed, group in enumerate(groups):
        for one in group:
            spoken = sum(len(one.messages[place]["content"]) for place in one.turns)
            print(f"start {seed}: rewards {one.rewards.tolist()}, advantage {one.advantage:+.2f}, {spoken} characters")
    return groups


if __name__ == "__main__":
    main()
