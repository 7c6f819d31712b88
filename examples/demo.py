"""Plays an episode of every world with a baseline; prints returns and speed, writes GIFs to demo/; needs no display."""

import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite.render.frames import draw, save_gif, save_png

FOLDER = Path("demo")
MAX_FRAMES = 60

#: What is played: world, policy in all seats.
SHOWN = {
    "envsuite/Chess-v0": "material",
    "envsuite/ConnectFour-v0": "tactical",
    "envsuite/TicTacToe-v0": "tactical",
    "envsuite/Othello-v0": "positional",
    "envsuite/Breakthrough-v0": "tactical",
    "envsuite/Hex-v0": "shortest",
    "envsuite/Go-v0": "tactical",
    "envsuite/KuhnPoker-v0": "equilibrium",
    "envsuite/Hanabi-v0": "convention",
    "envsuite/LeducPoker-v0": "tight",
    "envsuite/LiarsDice-v0": "odds",
    "envsuite/Goofspiel-v0": "matching",
    "envsuite/SimpleNegotiation-v0": "shrewd",
    "envsuite/SplitNoComm-v0": "efficient",
    "envsuite/TrustAndSplit-v0": "honest",
    "envsuite/MatrixGame-v0": "equilibrium",
    "envsuite/RepeatedGame-v0": "gtft",
    "envsuite/Empty-v0": "solver",
    "envsuite/FourRooms-v0": "solver",
    "envsuite/MultiRoom-v0": "solver",
    "envsuite/DoorKey-v0": "solver",
    "envsuite/Unlock-v0": "solver",
    "envsuite/UnlockPickup-v0": "solver",
    "envsuite/KeyCorridor-v0": "solver",
    "envsuite/LavaCrossing-v0": "solver",
    "envsuite/DynamicObstacles-v0": "solver",
    "envsuite/Memory-v0": "solver",
    "envsuite/Maze-v0": "solver",
    "envsuite/PathFinding-v0": "planner",
    "envsuite/FrozenLake-v0": "planner",
    "envsuite/Sokoban-v0": "solver",
    "envsuite/LightsOut-v0": "solver",
    "envsuite/TurnOnLights-v0": "prober",
    "envsuite/Crafter-v0": "settler",
    "envsuite/CollaborativeMaze-v0": "asker",
    "envsuite/Overcooked-v0": "greedy",
    "envsuite/Foraging-v0": "team",
    "envsuite/Harvest-v0": "sustainable",
    "envsuite/Coins-v0": "cooperator",
    "envsuite/CleanUp-v0": "alternator",
    "envsuite/CoopMining-v0": "both",
    "envsuite/Territory-v0": "peaceful",
    "envsuite/GiftRefinements-v0": "giver",
    "envsuite/Mushrooms-v0": "steward",
    "envsuite/MatrixInTheGrid-v0": "tit_for_tat",
    "envsuite/AllelopathicHarvest-v0": "conformist",
    "envsuite/Fishery-v0": "sustainable",
    "envsuite/DonorGame-v0": "constant",
    "envsuite/PublicGoods-v0": "conditional",
    "envsuite/Traitors-v0": "bayesian",
    "envsuite/Werewolf-v0": "honest",
    "envsuite/AmongUs-v0": "detective",
    "envsuite/Marketplace-v0": "patient",
    "envsuite/OffSwitch-v0": "optimal",
    "envsuite/Telecom-v0": "workflow",
}


def record_episode(id: str, policy_name: str) -> tuple[dict[str, float], list]:
    """Play one episode through PettingZoo's loop; returns by agent, and its first scenes."""
    env = envsuite.make_aec(id)
    policy = envsuite.make_policy(policy_name, env)
    env.reset(seed=1)
    policy.reset(seed=1)
    returns = dict.fromkeys(env.agents, 0.0)
    scenes = [env.scene()]
    moment = env.batch.records["t"][0]
    while env.agents:
        agent = env.agent_selection
        seen, reward, ended, cut, info = env.last()
        returns[agent] += reward
        env.step(None if ended or cut else policy.act(seen, info["action_mask"], env.number(agent)))
        if env.batch.records["t"][0] != moment and len(scenes) < MAX_FRAMES:
            moment = env.batch.records["t"][0]
            scenes.append(env.scene())
    return returns, scenes


def contact_sheet(scenes: list, columns: int = 7, width: int = 320, height: int = 280, gap: int = 24) -> np.ndarray:
    """One picture of several scenes, each in the middle of its rectangle."""
    rows = -(-len(scenes) // columns)
    sheet = np.full((rows * (height + gap) + gap, columns * (width + gap) + gap, 3), 255, np.uint8)
    for k, scene in enumerate(scenes):
        scale = min(width / scene.width, height / scene.height)
        picture = draw(scene, int(scale * max(scene.width, scene.height)))
        row, column = divmod(k, columns)
        top = gap + row * (height + gap) + (height - picture.shape[0]) // 2
        left = gap + column * (width + gap) + (width - picture.shape[1]) // 2
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return sheet


def main() -> None:
    """Play, measure, draw."""
    console = Console()
    console.print("[dim]The first run compiles each world once; later runs start at once.[/]")
    FOLDER.mkdir(exist_ok=True)
    title = "an episode of each world; speed with 1,024 worlds on one core, random play"
    table = Table("world", "policy", "returns", "transitions/s", title=title)
    shown_scenes = []
    for id, policy_name in track(SHOWN.items(), "playing", console=console, transient=True):
        returns, scenes = record_episode(id, policy_name)
        shown_scenes.append(scenes[len(scenes) // 2])
        name = id.split("/")[1].split("-")[0]
        save_gif([draw(scene) for scene in scenes], FOLDER / f"{name.lower()}.gif", fps=4)
        envs = envsuite.make_vec(id, 1024)
        envs.rollout("random", 10, seed=0)
        start = time.perf_counter()
        steps = envs.rollout("random", 200).steps
        rate = steps / (time.perf_counter() - start)
        shown = ", ".join(f"{value:.3g}" for value in returns.values())
        table.add_row(name, policy_name, shown, f"{rate:,.0f}")
    save_png(contact_sheet(shown_scenes), FOLDER / "worlds.png")
    console.print(table)
    console.print(f"Pictures of the episodes: {FOLDER}/*.gif; all worlds: {FOLDER / 'worlds.png'}")


if __name__ == "__main__":
    main()
