"""Record other planners: python tests/data/recorders/strips_planning.py tests/data/Planning/strips_planning.json.gz

Needs pyperplan 2.1, pddlgym 0.0.7 and up-fast-downward 1.0.0 beside this package. Problems are our own, drawn by the
generator `problems` and written as PDDL. The file holds

- walks: of each the level, "names" of all actions that were applicable, "facts" that held or changed, and "steps". Of
  each step the action (its place in names, -1 at the start), the facts that became true (at the start all that hold)
  and false, the applicable actions, and whether the goal is reached. Names and facts are those of pyperplan; pddlgym,
  which prints them in another form, agreed wherever "pddlgym" is 1.
- lengths: levels with the length of a shortest plan by Fast Downward's A* with LM-cut, or None after 10 seconds.
"""

import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import up_fast_downward
from pddlgym.core import PDDLEnv
from pyperplan import grounding
from pyperplan.pddl.parser import Parser

from envsuite.games.strips_planning.domains import DOMAINS, SIZES
from envsuite.generators import generate
from envsuite.registry import build

#: Domains and sizes of walks with two seeds each, and the steps of a walk.
WALKS, STEPS = [(domain, size) for domain in DOMAINS for size in (1, 2)], 40

#: The sizes that pddlgym takes too long for: it tries all objects for all parameters.
SLOW = {("depots", 2), ("satellite", 2), ("driverlog", 2), ("tyres", 1), ("tyres", 2), ("hanoi", 2), ("depots", 1)}

DOWNWARD = pathlib.Path(up_fast_downward.__file__).parent / "downward" / "fast-downward.py"


def written(domain, size, level, folder):
    """The files of a domain and of a problem, which lie in folders of their own."""
    world = build("envsuite/Planning-v0", {"domain": domain, "size": size})
    problems = folder / "problems"
    problems.mkdir(exist_ok=True)
    files = folder / "domain.pddl", problems / "problem.pddl"
    for file, text in zip(files, (world.pddl(), world.pddl(level)), strict=True):
        file.write_text(text)
    return files


def plain(literal):
    """A literal of pddlgym's, ``on(a:block,b:block)``, as PDDL."""
    name, inner = re.fullmatch(r"([^(]+)\((.*)\)", str(literal)).groups()
    return f"({' '.join([name, *(part.split(':')[0] for part in inner.split(',') if part)])})"


def walk(domain, size, seed, folder):
    rng = random.Random(f"{domain} {size} {seed}")
    level = generate("problems", 100 + seed, domain=domain, size=size)
    files = written(domain, size, level, folder)
    parser = Parser(*map(str, files))
    problem = parser.parse_problem(parser.parse_domain())
    # All atoms and operators, those too that do not matter for the goal.
    task = grounding.ground(problem, remove_statics_from_initial_state=False, remove_irrelevant_operators=False)
    gym = None
    if (domain, size) not in SLOW:
        gym = PDDLEnv(str(files[0]), str(files[1].parent), operators_as_actions=True, dynamic_action_space=True)
        seen, _ = gym.reset()
    names, facts, steps, state, last = {}, {}, [], set(task.initial_state), -1
    before = set()
    while True:
        able = {operator.name: operator for operator in task.operators if operator.applicable(state)}
        row = [
            last, *([number(facts, fact) for fact in sorted(part)] for part in (state - before, before - state)),
            sorted(number(names, name) for name in able), int(task.goal_reached(state)),
        ]  # fmt: skip
        steps.append(row)
        if gym is not None:
            assert {plain(literal) for literal in seen.literals} == state, (domain, size)
            found = {plain(literal): literal for literal in gym.action_space.all_ground_literals(seen)}
            assert set(found) == set(able), (domain, size, set(found) ^ set(able))
        if len(steps) > STEPS or not able or task.goal_reached(state):
            break
        name = rng.choice(sorted(able))
        last, before, state = names[name], state, set(able[name].apply(state))
        if gym is not None:
            seen, reward, done, *_ = gym.step(found[name])
            assert bool(done) == (reward > 0) == task.goal_reached(state)
    return {"level": level, "names": [*names], "facts": [*facts], "steps": steps, "pddlgym": int(gym is not None)}


def number(table, name):
    return table.setdefault(name, len(table))


def length(domain, size, level, folder):
    files = map(str, written(domain, size, level, folder))
    command = [sys.executable, str(DOWNWARD), "--overall-time-limit", "10s", *files, "--search", "astar(lmcut())"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    found = re.search(r"Plan length: (\d+) step", done.stdout)
    return int(found[1]) if found else None


def main():
    walks, lengths = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for domain, size in WALKS:
            walks += [walk(domain, size, seed, folder) for seed in range(2)]
            print("walks", domain, size, flush=True)
        for domain in DOMAINS:
            for size in range(1, SIZES + 1):
                found = []
                for seed in range(6 if size < 4 else 3):
                    level = generate("problems", 200 + seed, domain=domain, size=size)
                    found.append(length(domain, size, level, folder))
                    lengths.append([level, found[-1]])
                    if found[-1] is None:
                        break
                print("lengths", domain, size, found, flush=True)
    with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
        file.write(json.dumps({"walks": walks, "lengths": lengths}, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
