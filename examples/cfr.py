"""Solves Leduc poker by CFR, CFR+ and external-sampling MCCFR. Prints how far each is from equilibrium."""

from rich import print
from rich.progress import track
from rich.table import Table

from envsuite import CFR, CFRPlus, ExternalSampling, Tree, build, rotated


def main(iterations=(1, 10, 100, 1000), hands=20_000):
    """The exploitability of each solver's average policy after these iterations, and CFR+'s winnings."""
    world = build("envsuite/LeducPoker-v0")
    tree = Tree(world)
    print(f"{world.id}: {tree.decisions:,} decisions, {sum(tree.information_sets):,} information sets")
    solvers = {"CFR": CFR(tree), "CFR+": CFRPlus(tree), "MCCFR": ExternalSampling(tree)}
    exploitability = {name: [] for name in solvers}
    table = Table("iterations", *solvers, title="Exploitability: what the best reply gains, in antes a hand")
    for count in track(iterations, "solving", transient=True):
        for name, solver in solvers.items():
            solver.run(count - solver.iterations)
            exploitability[name].append(tree.exploitability(solver.average))
        table.add_row(f"{count:,}", *(f"{values[-1]:.6f}" for values in exploitability.values()))
    print(table)

    solved = solvers["CFR+"]
    value = tree.values(solved.average)[0]
    print(f"The first player's value: {value:.6f} (the second has the better seat)")
    winnings = rotated(world, [solved.policy(), "random"], hands // 2).means()[0]
    print(f"Against random play, seats shared: {winnings} antes a hand")
    return exploitability, value, winnings.value


if __name__ == "__main__":
    main()
