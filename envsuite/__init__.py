"""Multi-agent games, gridworlds, commons dilemmas and dual-control domains, compiled, behind one interface.

    import envsuite
    env = envsuite.make_parallel("envsuite/Harvest-v0")          # PettingZoo, simultaneous moves
    env = envsuite.make_aec("envsuite/ConnectFour-v0")           # PettingZoo, one agent at a time
    envs = envsuite.make_vec("envsuite/Harvest-v0", num_envs=1024)
    env = gymnasium.make("envsuite/DoorKey-v0")

Importing envsuite registers its ids with Gymnasium and PettingZoo; it imports neither of them, nor numba nor pygame.

What `__all__` names is the public interface, with the modules of worlds and of adapters to other libraries; each name
is imported when it is first used. All other modules are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envsuite.core.errors import suggest
from envsuite.registry import __version__ as __version__
from envsuite.registry import ids, register, register_all, register_others, resolve, spec

if TYPE_CHECKING:
    from envsuite.agents import Policy
    from envsuite.interfaces.aec import AEC
    from envsuite.interfaces.parallel import Parallel
    from envsuite.interfaces.vector import Vector

#: The public names that are imported when they are first used, and where each is: ``module:object``, or a module.
PUBLIC = {
    "AEC": "envsuite.interfaces.aec:AEC",
    "Parallel": "envsuite.interfaces.parallel:Parallel",
    "Seat": "envsuite.interfaces.gym:Seat",
    "Vector": "envsuite.interfaces.vector:Vector",
    "SeatVector": "envsuite.interfaces.vector:SeatVector",
    "compiling": "envsuite.interfaces.warmup:compiling",
    "build": "envsuite.registry:build",
    "pettingzoo_forms": "envsuite.registry:pettingzoo_forms",
    "World": "envsuite.core.world:World",
    "Kernels": "envsuite.core.world:Kernels",
    "kernel": "envsuite.core.kernel:kernel",
    "Page": "envsuite.core.page:Page",
    "When": "envsuite.core.page:When",
    "Case": "envsuite.core.page:Case",
    "Treatment": "envsuite.core.treatment:Treatment",
    "Between": "envsuite.core.parameters:Between",
    "Horizon": "envsuite.core.parameters:Horizon",
    "array_of": "envsuite.core.record:array_of",
    "check_world": "envsuite.testing:check_world",
    "draw": "envsuite.render.frames:draw",
    "save_png": "envsuite.render.frames:save_png",
    "save_gif": "envsuite.render.frames:save_gif",
    "save_video": "envsuite.render.frames:save_video",
    "Policy": "envsuite.core.policy:Policy",
    "policy": "envsuite.core.policy:policy",
    "LanguageAgent": "envsuite.models.agent:LanguageAgent",
    "play_episode": "envsuite.models.agent:play_episode",
    "write_transcript": "envsuite.models.agent:write_transcript",
    "Human": "envsuite.agents.human:Human",
    "Generator": "envsuite.generators.base:Generator",
    "generate": "envsuite.generators.base:generate",
    "generate_many": "envsuite.generators.base:generate_many",
    "mutate": "envsuite.generators.base:mutate",
    "describe": "envsuite.generators.base:describe",
    "picture": "envsuite.generators.base:picture",
    "Curriculum": "envsuite.generators.curriculum:Curriculum",
    "PrioritisedReplay": "envsuite.generators.curriculum:PrioritisedReplay",
    "Accel": "envsuite.generators.curriculum:Accel",
    "MCTS": "envsuite.solvers.mcts:MCTS",
    "AlphaBeta": "envsuite.solvers.alpha_beta:AlphaBeta",
    "plan": "envsuite.solvers.planners:plan",
    "Tree": "envsuite.solvers.game_tree:Tree",
    "TabularPolicy": "envsuite.solvers.game_tree:TabularPolicy",
    "CFR": "envsuite.solvers.cfr:CFR",
    "CFRPlus": "envsuite.solvers.cfr:CFRPlus",
    "ExternalSampling": "envsuite.solvers.cfr:ExternalSampling",
    "FictitiousPlay": "envsuite.solvers.cfr:FictitiousPlay",
    "PSRO": "envsuite.solvers.psro:PSRO",
    "extract": "envsuite.solvers.model:extract",
    "value_iteration": "envsuite.solvers.planning:value_iteration",
    "soft_value_iteration": "envsuite.solvers.planning:soft_value_iteration",
    "policy_iteration": "envsuite.solvers.planning:policy_iteration",
    "TabularLearner": "envsuite.solvers.learners:TabularLearner",
    "Demonstrator": "envsuite.solvers.demonstrators:Demonstrator",
    "boltzmann": "envsuite.solvers.demonstrators:boltzmann",
    "inverse_q": "envsuite.solvers.inverse:inverse_q",
    "counted": "envsuite.solvers.inverse:counted",
    "Trainer": "envsuite.learn.ppo:Trainer",
    "Pool": "envsuite.learn.pool:Pool",
    "Population": "envsuite.learn.population:Population",
    "attack": "envsuite.learn.adversary:attack",
    "resume": "envsuite.learn.resume:resume",
    "Curve": "envsuite.learn.curve:Curve",
    "play": "envsuite.evaluation.matches:play",
    "rotated": "envsuite.evaluation.matches:rotated",
    "focal_scores": "envsuite.evaluation.matches:focal_scores",
    "held_out": "envsuite.evaluation.matches:held_out",
    "tournament": "envsuite.evaluation.tournaments:tournament",
    "cross_play": "envsuite.evaluation.tournaments:cross_play",
    "elo": "envsuite.evaluation.ratings:elo",
    "measure": "envsuite.evaluation.reference:measure",
    "reference_scores": "envsuite.evaluation.reference:reference_scores",
    "schelling": "envsuite.evaluation.schelling:schelling",
    "report": "envsuite.evaluation.reports:report",
    "Rollout": "envsuite.evaluation.rollouts:Rollout",
    "absorbing": "envsuite.evaluation.reward_distances:absorbing",
    "shaped": "envsuite.evaluation.reward_distances:shaped",
    "epic": "envsuite.evaluation.reward_distances:epic",
    "dard": "envsuite.evaluation.reward_distances:dard",
    "starc": "envsuite.evaluation.reward_distances:starc",
    "evolve": "envsuite.evaluation.evolution:evolve",
    "fixation": "envsuite.evaluation.evolution:fixation",
    "imitation_chain": "envsuite.evaluation.evolution:imitation_chain",
    "accumulate": "envsuite.evaluation.accumulation:accumulate",
    "Chat": "envsuite.models.client:Chat",
    "Function": "envsuite.models.client:Function",
    "Scripted": "envsuite.models.client:Scripted",
    "Protocol": "envsuite.models.protocol:Protocol",
    "Talk": "envsuite.talk.table:Talk",
    "Suite": "envsuite.models.suites:Suite",
    "Task": "envsuite.models.suites:Task",
    "evaluate": "envsuite.models.suites:evaluate",
    "versus": "envsuite.models.versus:versus",
    "TextArena": "envsuite.models.training:TextArena",
    "TextEnv": "envsuite.models.training:TextEnv",
    "rollouts": "envsuite.models.training:rollouts",
    "run": "envsuite.scale.running:run",
    "Job": "envsuite.scale.job:Job",
    "Ledger": "envsuite.scale.ledger:Ledger",
    "executor": "envsuite.scale.executors:executor",
    "record": "envsuite.data.recording:record",
    "Recorded": "envsuite.data.recorded:Recorded",
    "Replayed": "envsuite.data.replayed:Replayed",
    "export": "envsuite.data.exports:export",
    "Replay": "envsuite.episodes.replay:Replay",
    "differences": "envsuite.episodes.replay:differences",
    "Recorder": "envsuite.episodes.recorder:Recorder",
    "Timeline": "envsuite.episodes.timeline:Timeline",
    "Session": "envsuite.episodes.session:Session",
    "Oversight": "envsuite.episodes.oversight:Oversight",
    "Uncertainty": "envsuite.episodes.uncertainty:Uncertainty",
    "elementary": "envsuite.core.elementary",
    "errors": "envsuite.core.errors",
    "random": "envsuite.core.random",
    "ranges": "envsuite.core.ranges",
    "scene": "envsuite.render.scene",
    "metrics": "envsuite.evaluation.metrics",
    "statistics": "envsuite.evaluation.statistics",
    "equilibria": "envsuite.solvers.equilibria",
}

__all__ = ["ids", "make_aec", "make_parallel", "make_policy", "make_vec", "policies", "register", "spec"]
__all__.extend(PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{suggest(name, __all__)}", name=name)
    globals()[name] = found = resolve(PUBLIC[name])
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def make_aec(id: str, **params: Any) -> AEC:
    """A PettingZoo AEC environment of this world; see `envsuite.interfaces.aec.AEC`."""
    from envsuite.interfaces.aec import AEC

    return AEC(id, **params)


def make_parallel(id: str, **params: Any) -> Parallel:
    """A PettingZoo parallel environment of this world; see `envsuite.interfaces.parallel.Parallel`."""
    from envsuite.interfaces.parallel import Parallel

    return Parallel(id, **params)


def make_vec(
    id: str, num_envs: int, threads: int = 1, autoreset: str = "next_step", copy: bool = True, **params: Any
) -> Vector:
    """Thousands of copies of this world, all agents of each; see `envsuite.interfaces.vector.Vector`."""
    from envsuite.interfaces.vector import Vector

    return Vector(id, num_envs, threads=threads, autoreset=autoreset, copy=copy, **params)


def make_policy(name: str, world: Any, **parameters: Any) -> Policy:
    """A baseline policy by name for a world (an id, a `World` or an environment); see `envsuite.agents`."""
    from envsuite.agents import make_policy

    return make_policy(name, world, **parameters)


def policies(id: str) -> list[str]:
    """The names of a world's baseline policies, "random" first."""
    from envsuite.agents import policies

    return list(policies(id))


register_all()
register_others()
