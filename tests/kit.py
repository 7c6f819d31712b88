"""What tests share."""

import itertools
import re
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.evaluation import matches
from envsuite.interfaces.single import as_world
from envsuite.solvers.model import Model

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"


def started(world, num=1, seed=0, level=None, **params):
    """A batch of a world, or of an id or class with parameters: episodes with seeds `seed` on, on a level or a list."""
    batch = Batch(as_world(world, params), num)
    batch.start(seed, level)
    return batch


def opened(world, *moves):
    """A batch of one game whose level is these moves."""
    return started(world, level={"moves": list(moves)})


def mover(batch):
    """The first agent who acts in the first world."""
    return int(batch.acting[0].argmax())


def act(batch, *moves):
    """The batch after these moves, one by one: numbers, or names of actions of the agent who acts."""
    for move in moves:
        batch.step(batch.world.action_names[mover(batch)].index(move) if isinstance(move, str) else move)
    return batch


def legal(batch, agent=None):
    """The names of the legal actions in the first world of an agent, or of the first one who acts."""
    agent = mover(batch) if agent is None else agent
    assert set(batch.masks[0, agent]) <= {0, 1}
    return {batch.world.action_names[agent][k] for k in np.flatnonzero(batch.masks[0, agent])}


def read_answer(world, agent, mask, answer, record=None):
    """The action that an answer of a language model means."""
    from envsuite.models.client import Answer
    from envsuite.models.protocol import read

    return read(world, agent, mask, Answer(answer), "names", record)


def legal_in(question):
    """The names of the legal actions that a question to a language agent lists, one by one or with slots."""
    told = question.rpartition("Your legal actions: ")[2]
    if not told.startswith("\n"):
        return told.partition("\n")[0].split("; ")
    lines = [line[2:] for line in told[1:].split("\n") if line.startswith("- ")]
    return [name for line in lines for name in _expanded(line)]


def _expanded(line):
    slots = re.search(r" with (?:([A-Z] .*), and one of: |one of: |(?=[A-Z] ))([A-Z] .*)$", line)
    if slots is None:
        return line.split("; ")
    found = []
    for template in line[: slots.start()].split(" / "):
        for way in slots[2].split("; "):
            ways = ", ".join(filter(None, (slots[1], way)))
            values = dict(re.findall(r"([A-Z]) (.*?)(?=, [A-Z] |$)", ways))
            parts = re.split(rf"([{''.join(values)}])", template)  # letters of slots are in no name
            columns = [_values(values[part]) if k % 2 else [part] for k, part in enumerate(parts)]
            found += map("".join, itertools.product(*columns))
    return found


def _values(text):
    steps = re.fullmatch(r"(\d+)-(\d+) in steps of (\d+)", text)
    if steps:
        first, last, step = map(int, steps.groups())
        return [str(k) for k in range(first, last + 1, step)]
    runs = [(part, re.fullmatch(r"(\d+)-(\d+)", part)) for part in text.split(", ")]
    return [str(k) for part, run in runs for k in (range(int(run[1]), int(run[2]) + 1) if run else [part])]


def choices(policy, batch, agent=None, seeds=1, **parameters):
    """The names of the actions that a policy chooses with seeds 0 to N - 1, for an agent or the first that acts."""
    agent = mover(batch) if agent is None else agent
    player, found = make_policy(policy, batch.world, **parameters), set()
    for seed in range(seeds):
        player.reset(seed, batch.num)
        chosen = player.act_batch(batch.observations[:, [agent]], batch.masks[:, [agent]], [agent])[0, 0]
        found.add(batch.world.action_names[agent][chosen])
    return found


def clicks(batch, agent, x=0.3, y=0.3):
    """All that clicks on the picture of the first world mean to an agent, on a grid of this width and height."""
    s, scene = batch.record(), batch.world.scene(batch.record(), agent)
    columns, rows = np.arange(0, scene.width, x), np.arange(0, scene.height, y)
    return {batch.world.click(s, agent, column, row) for column in columns for row in rows}


def finish(batch, *names, second=None, seed=0):
    """Play all episodes to their ends by one policy, or by another where `second()` (N, A) says so: returns (N, A)."""
    players = [make_policy(name, batch.world) for name in names]
    for k, player in enumerate(players):
        player.reset(seed + k * batch.num, batch.num)
    everyone, total = range(len(batch.world.agents)), np.zeros(batch.rewards.shape)
    while not batch.over().all():
        actions = [player.act_batch(batch.observations, batch.masks, everyone) for player in players]
        batch.step(np.where(second(), actions[-1], actions[0]) if second else actions[0], ~batch.finished)
        total += batch.rewards
    return total


def refuses(world, *levels):
    """Demand of each (level, message) that a batch refuses the level with this message and stays as it is."""
    batch = Batch(world, 1)
    before = batch.records.tobytes()
    for level, message in levels:
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, level)
        assert batch.records.tobytes() == before


def checksum(array):
    """Four digits for the bytes of an array, as `data/recorders/streams.py` makes them."""
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()) & 0xFFFF:04x}"


def played(world, policy, seat, num, against="random", **params):
    """Returns (num, players) of games in which this policy has one seat and another policy all others."""
    world = as_world(world, params)
    return matches.play(world, [policy if k == seat else against for k in range(len(world.agents))], num).returns


def wins(world, policy, seat, num, against="random", **params):
    """The share of such games that the policy wins."""
    return (played(world, policy, seat, num, against, **params)[:, seat] > 0).mean()


def same(i, state):
    """OpenSpiel's legal actions, numbered as ours are."""
    return {action: action for action in state.legal_actions()}


def lock_step(batch, states, rng, choose=None, ours=same, deal=lambda i, state: None):
    """Play games of OpenSpiel in both: movers, legal actions, rewards and ends are compared at every move.

    Args:
        batch: started, one world for each state.
        choose: `choose(i, state, actions)` picks one of OpenSpiel's actions; random if not given.
        ours: `ours(i, state)` gives our number for each of OpenSpiel's actions that should be legal.
        deal: `deal(i, state)` plays out chance in OpenSpiel after a move.

    Yields (i, state, action): each game at its start and after each move, with OpenSpiel's action, None at first.
    """
    players, running = batch.masks.shape[1], np.ones(batch.num, bool)
    made = dict.fromkeys(range(batch.num))
    while True:
        for i, action in made.items():
            yield i, states[i], action
        running &= ~batch.over()
        if not running.any():
            return
        made = dict.fromkeys(np.flatnonzero(running).tolist())
        for i in made:
            state, numbers = states[i], ours(i, states[i])
            for k in range(players):
                wanted = sorted(numbers.values()) if k == state.current_player() else []
                assert np.flatnonzero(batch.masks[i, k]).tolist() == wanted
            actions = list(numbers)
            made[i] = int(choose(i, state, actions) if choose else actions[rng.integers(len(actions))])
            batch.actions[i] = numbers[made[i]]
            state.apply_action(made[i])
        batch.step(where=running)
        for i in made:
            deal(i, states[i])
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over] * players and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == states[i].rewards()
            assert not over or not batch.masks[i].any()


def random_model(rng, states, actions, ends=0, follow=None):
    """A decision process of one agent with random transitions and rewards, which starts in any state.

    The last `ends` states end the episode; `follow` next states are possible after each choice, by default all.
    """
    running = states - ends
    rows = running * actions
    transitions = np.zeros((rows, states))
    for row in transitions:
        next_states = rng.choice(states, size=follow or states, replace=False)
        row[next_states] = rng.dirichlet(np.ones(len(next_states)))
    return Model(
        first=actions * np.minimum(np.arange(states + 1), running),
        actions=np.tile(np.arange(actions), running)[:, None],
        transitions=csr_array(transitions),
        rewards=rng.normal(size=(rows, 1)),
        start=np.full(states, 1 / states),
    )


def in_openspiel(tree, name, profile):
    """OpenSpiel's game, and a tree's profile as a table there; information state tensors are the observations here."""
    import pyspiel

    game = pyspiel.load_game(name)
    sets = {}
    for player in range(tree.players):
        own = tree.owned(player)
        for number in range(own.start, own.stop):
            sets[player, tuple(tree.observations[number].tolist())] = number
    table, todo = {}, [game.new_initial_state()]
    while todo:
        state = todo.pop()
        if not (state.is_terminal() or state.is_chance_node()):
            row = profile[sets[state.current_player(), tuple(map(int, state.information_state_tensor()))]]
            table[state.information_state_string()] = [(action, row[action]) for action in state.legal_actions()]
        todo += [state.child(action) for action in state.legal_actions()]
    assert len(table) == len(profile)
    return game, table


def policy_walks(terms, difficulty, fits=lambda walk: True):
    """All walks on a help desk's graph of policies that reach a difficulty, with their probabilities, by enumeration.

    `terms` is the module with the desk's tables; walks that `fits` refuses are drawn again.
    """
    nodes = [(int(i), int(c)) for i, c in np.argwhere(terms.POSSIBLE)]
    found = Counter()

    def go(walk, reached, chance):
        if reached >= difficulty:
            found[walk] += chance * fits(walk)
        elif len(walk) < 3 and (not walk or walk[-1][0] != terms.WANT_PERSON):
            edges = {
                node: 1 if not walk else int(terms.TOGETHER[walk[-1][0], node[0]]) for node in nodes if node not in walk
            }
            for (i, c), weight in edges.items():
                step = int(terms.CHALLENGE[i] + terms.MORE[c])
                assert 1 <= step <= 5
                go((*walk, (i, c)), reached + step, chance * weight / sum(edges.values()))

    go((), 0, 1.0)
    return {walk: chance / found.total() for walk, chance in found.items() if chance}


def walks_as_enumerated(terms, records, difficulty, fits=lambda walk: True):
    """Drawn requests against `policy_walks`: the first kind of request, and the first two intents."""
    known, expected, drawn = policy_walks(terms, difficulty, fits), Counter(), Counter()
    for walk, chance in known.items():
        expected["first", walk[0]] += len(records) * chance
        expected[tuple(i for i, _ in walk[:2])] += len(records) * chance
    for count, intents, caveats in zip(*(records[name].tolist() for name in ("requests", "intent", "caveat"))):
        walk = tuple(zip(intents[:count], caveats))
        assert walk in known
        drawn["first", walk[0]] += 1
        drawn[tuple(intents[: min(count, 2)])] += 1
    assert all(abs(drawn[key] - mean) < 5 * max(mean, 1) ** 0.5 for key, mean in expected.items())
