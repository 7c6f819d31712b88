"""JPSRO finds a coarse correlated equilibrium of three-player Kuhn poker. Prints the gap by rounds."""

from rich import print

from envsuite import PSRO, Tree, build, play


def main(rounds=30, hands=20_000):
    """The rounds, until no player gains by a deviation from the most even equilibrium of the policies so far."""
    world = build("envsuite/KuhnPoker-v0", {"players": 3})
    solver = PSRO(Tree(world), "mgcce")
    solver.run(rounds, lambda one: print(f"{one.joint.size:5} combinations of policies, gap {one.gap:.6f}"))
    print("mean returns, exact: ", solver.last.values)
    print("mean returns, played:", play(world, solver.policy(), hands).returns.mean(axis=0))
    return solver.rounds


if __name__ == "__main__":
    main()
