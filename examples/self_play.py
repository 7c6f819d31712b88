"""Q-learning in TicTacToe by playing itself. Prints how each generation does against the one before and baselines."""

from rich.live import Live
from rich.table import Table

from envsuite import TabularLearner, build, rotated


def main(generations=10, moves=200_000, games=1000, path=None):
    """Learn both seats for `generations`; the share of games that each generation did not lose, by opponent.

    The table of values is written to `path`, if one is given.
    """
    world = build("envsuite/TicTacToe-v0")
    learner = TabularLearner(world, num=64, rate=0.2, discount=1.0)  # all seats that have no other policy learn
    opponents = {"older self": learner.policy(), "random": "random", "tactical": "tactical"}
    table = Table("generation", "moves", "states", *opponents, title="Share of games not lost")
    history = []
    with Live(table):
        for generation in range(1, generations + 1):
            learner.learn(moves, epsilon=0.3)
            newest = learner.policy()
            held = {
                name: (rotated(world, [newest, other], games // 2).returns[:, 0] >= 0).mean()
                for name, other in opponents.items()
            }
            opponents["older self"] = newest
            history.append(held)
            shares = [f"{share:.1%}" for share in held.values()]
            table.add_row(str(generation), f"{learner.transitions:,}", f"{learner.states:,}", *shares)
    if path is not None:
        learner.save(path)
    return history


if __name__ == "__main__":
    main()
