"""Plays an episode of every world with a baseline, prints returns and speed, and writes GIFs to demo/. Needs no display."""

import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite.render.frames import draw, save_gif

FOLDER = Path("demo")
MAX_FRAMES = 60

#: What is played: world, policy in all seats.
SHOWN = {
    "envsuite/ConnectFour-v0": "tactical",
    "envsuite/KuhnPoker-v0": "equilibrium",
    "envsuite/DoorKey-v0": "solver",
    "envsuite/Harvest-v0": "sustainable",
    "envsuite/Fishery-v0": "sustainable",
    "envsuite/OffSwitch-v0": "optimal",
}


def record_episode(id: str, policy_name: str) -> tuple[dict[str, float], list]:
    """Play one episode through PettingZoo's loop; returns by agent, and the first pictures."""
    env = envsuite.make_aec(id)
    policy = envsuite.make_policy(policy_name, env)
    env.reset(seed=1)
    policy.reset(seed=1)
    returns = dict.fromkeys(env.agents, 0.0)
    pictures = [draw(env.scene())]
    moment = env.batch.records["t"][0]
    while env.agents:
        agent = env.agent_selection
        seen, reward, ended, cut, info = env.last()
        returns[agent] += reward
        env.step(None if ended or cut else policy.act(seen, info["action_mask"], env.number(agent)))
        if env.batch.records["t"][0] != moment and len(pictures) < MAX_FRAMES:
            moment = env.batch.records["t"][0]
            pictures.append(draw(env.scene()))
    return returns, pictures


def main() -> None:
    """Play, measure, draw."""
    console = Console()
    console.print("[dim]The first run compiles each world once; later runs start at once.[/]")
    FOLDER.mkdir(exist_ok=True)
    table = Table("world", "policy", "returns", "transitions/s, 1,024 worlds", "pictures")
    for id, policy_name in track(SHOWN.items(), "playing", console=console, transient=True):
        returns, pictures = record_episode(id, policy_name)
        name = id.split("/")[1].split("-")[0]
        path = FOLDER / f"{name.lower()}.gif"
        save_gif(pictures, path, fps=4)
        envs = envsuite.make_vec(id, 1024)
        envs.rollout("random", 10, seed=0)
        start = time.perf_counter()
        steps = envs.rollout("random", 200).steps
        rate = steps / (time.perf_counter() - start)
        shown = ", ".join(f"{value:g}" for value in returns.values())
        table.add_row(name, policy_name, shown, f"{rate:,.0f}", str(path))
    console.print(table)


if __name__ == "__main__":
    main()
