"""Policies: baselines for every world, random ones for all.

A policy is like a world: a record, its *memory*, and a compiled kernel ``act(memory, observation, mask) -> action``.
It sees what an agent sees and no more. Every memory holds `rng`, its own stream for `envsuite.core.random`, and
`agent`, the number of the agent that it plays; the rest are the policy's parameters, which a user may choose, and its
`variables`, what it remembers within an episode.

    @policy("envsuite/Fishery-v0", "constant", catch=Between(0, 250).at(10))
    def constant(memory, observation, mask):
        \"\"\"Asks for `catch` units every month.\"\"\"
        return memory.catch
"""

from envsuite.core.policy import Policy, make_policy, policies, policy

__all__ = ["Policy", "make_policy", "policies", "policy"]
