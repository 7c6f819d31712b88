"""Games of perfect information as trees, from their tabular models: histories, exact averages, counts of moves."""

from fractions import Fraction

import numpy as np

from envsuite.core.chance import Explorer
from envsuite.solvers.model import choices


def parts(explorer, records):
    """All successors of records (N,), in parts: their records, rewards and views; of a world without chance."""
    view = explorer.view(records)
    for part in explorer.expand(records, view.masks, *choices(view.masks, view.over)):
        yield part.records, part.rewards, explorer.view(part.records)


def successors(explorer, records):
    """All successors of records (N,), their rewards and ends."""
    found = [(after, rewards, view.over) for after, rewards, view in parts(explorer, records)]
    return map(np.concatenate, zip(*found))


def perft(world, depth):
    """Histories of 1 to `depth` plies, 2 or more; those of finished games are not continued."""
    explorer = Explorer(world, 4096)
    (start,) = explorer.starts()
    level, counts = np.array([start.record]), []
    for _ in range(depth - 2):
        level, _, over = successors(explorer, level)
        counts.append(len(level))
        level = level[~over]
    # The last two plies are only counted: to hold them all would take gigabytes.
    last = [(len(after), view.masks.sum(dtype=int)) for after, _, view in parts(explorer, level)]
    return (*counts, *map(int, np.sum(last, axis=0)))


def spiel_perft(game, depth):
    """The same of a game of OpenSpiel."""
    level, counts = [game.new_initial_state()], []
    for _ in range(depth - 1):
        level = [state.child(action) for state in level for action in state.legal_actions()]
        counts.append(len(level))
    return (*counts, sum(len(state.legal_actions()) for state in level))


def children(model):
    """(R,) the state after each choice, in a model without chance."""
    assert model.deterministic
    return model.transitions.indices


def results(model):
    """(S,) the first player's reward for coming to each state, in a game that pays at the end."""
    found = np.zeros(model.num_states)
    found[children(model)] = model.rewards[:, 0]
    return found


def histories(model):
    """How many histories there are of each length; of these, how many are complete games; and games by result."""
    ways, counts, ended, games = model.start.astype(int), [], [], {}
    result = results(model)
    while ways.any():
        counts.append(int(ways.sum()))
        ended.append(int(ways[model.terminal].sum()))
        for value in np.unique(result[model.terminal & (ways > 0)]):
            games[float(value)] = games.get(float(value), 0) + int(ways[model.terminal & (result == value)].sum())
        ways = np.bincount(children(model), ways[model.states], minlength=model.num_states).astype(int)
    return counts, ended, games


def back_up(model, ends, choose):
    """The start's value: `ends` has the values of states where it is over, `choose(state, children)` makes others."""
    values, after = list(ends), children(model)
    for state in np.flatnonzero(~model.terminal)[::-1]:  # breadth first: what comes after has a higher number
        values[state] = choose(state, [values[k] for k in after[model.first[state] : model.first[state + 1]]])
    return values[0]


def mean(values):
    """The exact mean of fractions."""
    return sum(values, Fraction(0)) / len(values)
