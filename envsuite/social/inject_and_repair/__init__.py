"""Inject and repair: one agent breaks a circuit, and others repair it by tests.

**Rules.** The artifact is a Boolean circuit with tests. A gate is of one of six kinds: `and`, `or`, `xor`, `nand`,
`nor`, `xnor`. A test is an assignment of the inputs; a circuit passes it if all outputs are those of the original.

1. The injector sees the original and all tests. It changes the kinds of gates, at most `edits` times, and may stop
   earlier. The injection is valid if the circuit now fails a test.
2. All repairers get a copy of the changed circuit. They work at once, each on its own copy, without seeing each other.
   An action changes the kind of a gate, runs a test, or submits. To run a test shows the outputs that it expects; from
   then on, the repairer knows at any time whether its circuit passes it. A repair ends with the submission or after
   `steps` actions. It succeeds if the circuit passes all tests.

The wires never change.

**Agents.** `injector`, and `repairer_0` ... `repairer_{repairers-1}`.

**Observation.** Dict, the same parts for all. Signals are numbered: the inputs, then the gates in order. The last gates
are the outputs.

| part | space | content |
|---|---|---|
| phase | Box (1,) int8 | 0 injection, 1 repair |
| left | Box (1,) int16 | actions that the agent has left at most |
| kinds | Box (gates,) int8 | kinds in the agent's circuit, in the order above; -1 for repairers in phase 0 |
| sources | Box (gates, 2) int8 | the signals that each gate takes |
| tests | Box (tests, inputs) int8 | the inputs of each test |
| expected | Box (tests, outputs) int8 | the outputs that each test expects; -1 for repairers if they have not run it |
| rules | Box (4,) float64 | `alpha`, `cost`, `edits`, `repairers` |

**Actions.** Discrete. Let n be the number of gates.

| agent | action | name | legal |
|---|---|---|---|
| all | 0 .. 6 n - 1 | `set g0 to and`, `set g0 to or`, ... | if the gate is of another kind |
| injector | 6 n | `done` | always |
| repairers | 6 n .. | `run test 0`, `run test 1`, ... | if the agent has not run the test |
| repairers | the last | `submit` | always |

**Window.** The keys d and s are `done` and `submit`, and the digits run tests.

**Rewards.** At the end. Let p be the share of repairers that succeed.

| agent | case | reward |
|---|---|---|
| injector | the injection is not valid | -1 |
| injector | 0 < p < 1 | 1 - (1 + `alpha`) p |
| injector | p is 0 or 1 | -`alpha` |
| repairers | the injection is not valid | 0 |
| repairers | otherwise | 1 for success, else -1; less `cost` for each test that was run |

**Ends.** Terminates when all repairs have ended, or with an injection that is not valid.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `repairers` | 3 | number of repairers, from 1 to 8 |
| `inputs` | 4 | inputs of the circuit, from 2 to 5 |
| `gates` | 6 | gates, from 1 to 12 |
| `outputs` | 2 | outputs, from 1 to 3, at most `gates` |
| `tests` | 8 | tests, from 1 to 32, at most 2 to the power of `inputs` |
| `edits` | 2 | changes that the injector may make, from 1 to 5 |
| `steps` | 6 | actions of a repair, from 1 to 100 |
| `cost` | 0.02 | cost of running a test, from 0 to 1 |
| `alpha` | 0.8 | the weight of repairs in the injector's reward, from 0 to 1 |

**Level.** ``{"inputs": 4, "outputs": 2, "gates": [["nor", 1, 2], ["and", 4, 3], ...], "tests": ["0110", ...]}``: kind
and sources of each gate. Levels of `envsuite generate circuits` fit.

**Known values.** With k of 3 repairers successful and the default `alpha`, the injector earns -0.8, 0.4, -0.2 and -0.8
for k = 0, 1, 2, 3. With one edit and enough steps to run all tests, a repairer can always succeed: a change of one gate
explains all of them.

**Differences.** From Self-play SWE-RL (SSR):

- There, the artifact is a repository with its test suite; here, a circuit, so validity and repairs are exact.
- There, the injector also writes the tests and weakens those that would find the bug. Here, tests are given, and the
  repairer knows what a test expects only after running it.
- There, one model has both roles, and the solve rate is that of several attempts of it. Here, each attempt has an agent
  of its own, all at once.
- There, failed repairs become bugs of higher order; here, `edits` above 1 gives bugs of several changes.
- The cost of tests and the limit of steps are additions.

**Source.** Wei et al., "Toward Training Superintelligent Software Agents through Self-Play SWE-RL", 2025, for the roles
and the rewards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When, listed
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color, text_on
from envsuite.social.inject_and_repair import levels
from envsuite.social.inject_and_repair.levels import evaluate, make

INJECT, REPAIR = range(2)

#: Kinds and outputs that an agent does not know.
UNKNOWN = -1

MOST_EDITS, LONGEST, MOST_REPAIRERS = 5, 100, 8


def fields(repairers: int, circuits: levels.Circuits, steps: int) -> list[tuple]:
    """The record's own fields."""
    inputs, gates, outputs, tests = (circuits.parameters[name] for name in ("inputs", "gates", "outputs", "tests"))
    word = within(np.int64, 0, 2**tests - 1)  # a bit for each test
    return [
        *circuits.fields,  # level: the original circuit and the tests
        ("phase", below(np.int64, 2)),  # INJECT or REPAIR
        ("edits", within(np.int64, 0, MOST_EDITS)),  # changes that the injector has made
        ("kinds", below(np.int8, len(levels.KINDS)), (1 + repairers, gates)),  # of each agent's circuit
        ("expected", word, (outputs,)),  # of the original
        ("failing", word, (1 + repairers,)),  # tests that each agent's circuit fails
        ("run", flag(), (repairers, tests)),  # whether each repairer has run each test
        ("used", within(np.int64, 0, steps), (repairers,)),  # actions of each repairer
        ("ended", flag(), (repairers,)),  # whether each repair has ended
        ("words", word, (inputs + gates,)),  # scratch: signals of a circuit
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.phase = INJECT
    s.edits = 0
    inputs, gates, outputs = s.level.tests.shape[1], s.level.kinds.shape[0], s.expected.shape[0]
    for agent in range(s.kinds.shape[0]):
        copy_kinds(s, s.level.kinds, agent)
        s.failing[agent] = 0
    levels.pack(s.level.tests, s.words)
    evaluate(s.level.kinds, s.level.sources, inputs, all_tests(s), s.words)
    for k in range(outputs):
        s.expected[k] = s.words[inputs + gates - outputs + k]
    for k in range(s.used.shape[0]):
        s.used[k] = 0
        s.ended[k] = 0
        for test in range(s.run.shape[1]):
            s.run[k, test] = 0


@kernel
def all_tests(s):
    """The word with a bit for each test."""
    return (np.int64(1) << s.level.tests.shape[0]) - 1


@kernel
def copy_kinds(s, kinds, agent):
    for k in range(kinds.shape[0]):
        s.kinds[agent, k] = kinds[k]


@kernel
def change(s, agent, action):
    """Change the kind of a gate, and find the tests that the circuit fails now."""
    s.kinds[agent, action // 6] = action % 6
    inputs, gates, outputs = s.level.tests.shape[1], s.level.kinds.shape[0], s.expected.shape[0]
    levels.pack(s.level.tests, s.words)
    evaluate(s.kinds[agent], s.level.sources, inputs, all_tests(s), s.words)
    failing = np.int64(0)
    for k in range(outputs):
        failing |= s.expected[k] ^ s.words[inputs + gates - outputs + k]
    s.failing[agent] = failing


@kernel
def step(s, actions, rewards):
    gates, repairers = s.level.kinds.shape[0], s.used.shape[0]
    if s.phase == INJECT:
        if actions[0] < 6 * gates:
            change(s, 0, actions[0])
            s.edits += 1
        if actions[0] == 6 * gates or s.edits == s.params.edits:
            begin_repairs(s, rewards)
        return
    working = False
    for k in range(repairers):
        if s.ended[k] == 0:
            act(s, k, actions[1 + k])
            working = working or s.ended[k] == 0
    if not working:
        settle(s, rewards)


@kernel
def begin_repairs(s, rewards):
    """Give all repairers the changed circuit, or end the episode if it passes all tests."""
    if s.failing[0] == 0:
        rewards[0] = -1.0
        end(s)
        return
    s.phase = REPAIR
    for agent in range(1, s.kinds.shape[0]):
        copy_kinds(s, s.kinds[0], agent)
        s.failing[agent] = s.failing[0]


@kernel
def act(s, k, action):
    """One action of a repairer."""
    first, tests = 6 * s.level.kinds.shape[0], s.run.shape[1]
    s.used[k] += 1
    if action < first:
        change(s, k + 1, action)
    elif action < first + tests:
        s.run[k, action - first] = 1
    if action == first + tests or s.used[k] == s.params.steps:
        s.ended[k] = 1


@kernel
def settle(s, rewards):
    """Pay all agents."""
    repairers, solved = s.used.shape[0], 0
    for k in range(repairers):
        solved += s.failing[k + 1] == 0
        rewards[k + 1] = 1.0 if s.failing[k + 1] == 0 else -1.0
        for test in range(s.run.shape[1]):
            if s.run[k, test] != 0:
                rewards[k + 1] -= s.params.cost
    if solved == 0 or solved == repairers:
        rewards[0] = 0.0 - s.params.alpha
    else:
        rewards[0] = 1.0 - (1.0 + s.params.alpha) * solved / repairers
    end(s)


@kernel
def end(s):
    fill(s.terminated, 1)


@kernel
def observe(s, agent, out):
    out.phase[0] = s.phase
    if agent == 0:
        out.left[0] = s.params.edits - s.edits if s.phase == INJECT else 0
    else:
        out.left[0] = 0 if s.ended[agent - 1] != 0 else s.params.steps - s.used[agent - 1]
    known = agent == 0 or s.phase == REPAIR
    for k in range(s.level.kinds.shape[0]):
        out.kinds[k] = s.kinds[agent, k] if known else UNKNOWN
        out.sources[k, 0] = s.level.sources[k, 0]
        out.sources[k, 1] = s.level.sources[k, 1]
    for test in range(s.level.tests.shape[0]):
        for k in range(s.level.tests.shape[1]):
            out.tests[test, k] = s.level.tests[test, k]
        shown = True if agent == 0 else s.run[agent - 1, test] != 0
        for k in range(s.expected.shape[0]):
            out.expected[test, k] = s.expected[k] >> test & 1 if shown else UNKNOWN
    out.rules[0] = s.params.alpha
    out.rules[1] = s.params.cost
    out.rules[2] = s.params.edits
    out.rules[3] = s.used.shape[0]


@kernel
def legal(s, agent, mask):
    first, tests = 6 * s.level.kinds.shape[0], s.run.shape[1]
    if (agent == 0) != (s.phase == INJECT) or (agent > 0 and s.ended[agent - 1] != 0):
        return
    for action in range(first):
        mask[action] = s.kinds[agent, action // 6] != action % 6
    if agent == 0:
        mask[first] = 1
        return
    for test in range(tests):
        mask[first + test] = s.run[agent - 1, test] == 0
    mask[first + tests] = 1


_RULES = (
    "A circuit has {inputs:input}, {gates:gate} and {outputs:output}; the last gates are the outputs. A gate is of "
    "one of the kinds {kinds}. It has {tests:test}. A test says what the inputs are, and the circuit passes it if all "
    "outputs are those of the original.",
    (
        "The injector sees the original and all tests, and makes up to {edits:change} of kinds of gates, so that the "
        "circuit fails a test. Then",
        Case(
            "repairers",
            {1: "the repairer works on a copy of the changed circuit, for at most {steps:action}."},
            "the {repairers} repairers work on copies of the changed circuit, all at once, each alone and unseen by "
            "the others, for at most {steps:action} each.",
        ),
        "Wires never change.",
    ),
)
_ENDS = "It is over when all repairs have ended, or if the injector's circuit fails no test."
PAGES = {
    "injector": Page(
        role="You are the injector.",
        goal=(
            "If the circuit fails no test, you lose 1. If no repairer or all of them succeed, you lose {alpha}. "
            "Otherwise, if a share p of them succeeds, you get 1 - {slope} p."
        ),
        rules=_RULES,
        sees="You see the original circuit and all tests.",
        acts={"set {GATE} to {KIND}": "change the kind of a gate", "done": "stop changing"},
        ends=_ENDS,
        constants={"1": "pay"},
    ),
    "repairer": Page(
        role="You are a repairer.",
        goal=(
            "You get 1 if your circuit passes all tests at the end, otherwise -1, but 0 if the injector's circuit "
            "fails no test.",
            When("cost", "Each test that you run costs {cost}."),
        ),
        rules=_RULES,
        sees=(
            "You see your circuit, and of the tests that you have run what they expect and whether the circuit passes."
        ),
        acts={
            "set {GATE} to {KIND}": "change the kind of a gate",
            "run test {N}": "see what this test expects",
            "submit": "end your repair",
        },
        ends=_ENDS,
        constants={"1": "pay", "0": "pay"},
    ),
}


class InjectAndRepair(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGES
    turns = "mixed"
    paid_at_end = True

    kind = ("knowledge", "puzzles")
    verified = "all single faults of circuits by an independent evaluator; an independent game in lock-step"
    variants = (
        dict(repairers=1, inputs=2, gates=2, outputs=1, tests=3, edits=1, steps=3, cost=0.0),
        dict(repairers=4, inputs=3, gates=5, outputs=3, tests=5, edits=3, steps=5),
    )
    shown = "diagnostic"

    def __init__(
        self,
        repairers: Annotated[int, Between(1, MOST_REPAIRERS)] = 3,
        inputs: Annotated[int, Between(2, levels.MOST_INPUTS)] = 4,
        gates: Annotated[int, Between(1, levels.MOST_GATES)] = 6,
        outputs: Annotated[int, Between(1, levels.MOST_OUTPUTS)] = 2,
        tests: Annotated[int, Between(1, levels.MOST_TESTS)] = 8,
        edits: Annotated[int, Between(1, MOST_EDITS)] = 2,
        steps: Annotated[int, Between(1, LONGEST)] = 6,
        cost: Annotated[float, Between(0, 1)] = 0.02,
        alpha: Annotated[float, Between(0, 1)] = 0.8,
    ):
        circuits = levels.Circuits(inputs, gates, outputs, tests)
        names = [f"repairer_{k}" for k in range(repairers)]
        changes = [f"set g{k} to {kind}" for k in range(gates) for kind in levels.KINDS]
        runs = [*(f"run test {k}" for k in range(tests)), "submit"]
        self.keys = {"d": "done", "s": "submit"} | {str(k): f"run test {k}" for k in range(min(tests, 10))}
        self.define(
            agents=["injector", *names],
            actions={"injector": [*changes, "done"], **dict.fromkeys(names, changes + runs)},
            observation=Dict(
                phase=Box(INJECT, REPAIR, (1,), np.int8),
                left=Box(0, max(edits, steps), (1,), np.int16),
                kinds=Box(UNKNOWN, len(levels.KINDS) - 1, (gates,), np.int8),
                sources=Box(0, inputs + gates - 2, (gates, 2), np.int8),
                tests=Box(0, 1, (tests, inputs), np.int8),
                expected=Box(UNKNOWN, 1, (tests, outputs), np.int8),
                rules=Box(0.0, np.array([1.0, 1.0, edits, repairers]), (4,), np.float64),
            ),
            fields=fields(repairers, circuits, steps),
            params={
                **circuits.values,
                "edits": fixed(edits),
                "steps": fixed(steps),
                "cost": float(cost),
                "alpha": float(alpha),
            },
            reward_range=(-1.0 - cost * min(tests, steps), 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.terminated.all():
            return None
        if s.phase == INJECT and s.edits >= s.params.edits:
            return "the injector has no changes left"
        if s.phase == REPAIR and s.ended.all():
            return "all repairs have ended"
        return "a repairer has no actions left" if ((s.used == s.params.steps) & (s.ended == 0)).any() else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.fill_circuit(s, len(s.expected), level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_circuit(s, len(s.expected))

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        alpha = float(s.params.alpha)
        return {"kinds": listed(levels.KINDS), "slope": 1 + alpha}

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        inputs = len(seen.tests[0])
        lines = [f"You are {'the ' * (agent == 0)}{self.agents[agent]}."]
        if s.terminated.all():
            return "\n".join([*lines, self.result(s)])
        for k, (kind, (a, b)) in enumerate(zip(seen.kinds.tolist(), seen.sources.tolist())):
            word = "?" if kind == UNKNOWN else levels.KINDS[kind]
            lines.append(f"g{k} = {word}({levels.signal_name(a, inputs)}, {levels.signal_name(b, inputs)})")
        lines += [self.test_words(seen, test) for test in range(len(seen.tests))]
        if seen.phase[0] == INJECT and agent == 0:
            lines.append(f"Changes left: {seen.left[0]}.")
        elif seen.phase[0] == REPAIR and seen.left[0]:
            lines.append(f"Actions left: {seen.left[0]}.")
        else:
            lines.append("Others act.")
        return "\n".join(lines)

    def outputs(self, seen: Any, test: int) -> tuple[str, str]:
        """The outputs of the agent's circuit in a test, and the expected ones; "?" where they are not known."""
        right = "".join(map(str, seen.expected[test].tolist()))
        mine = "?"
        if seen.kinds[0] != UNKNOWN:
            found = levels.outputs_of(seen.kinds, seen.sources, seen.tests, seen.expected.shape[1])
            mine = "".join(map(str, found[test].tolist()))
        return mine, right if seen.expected[test, 0] != UNKNOWN else "?"

    def test_words(self, seen: Any, test: int) -> str:
        """A test in words."""
        mine, right = self.outputs(seen, test)
        result = ", not run" if right == "?" else f", expected {right}, {'passes' if mine == right else 'fails'}"
        return f"test {test}, inputs {''.join(map(str, seen.tests[test].tolist()))}: your outputs {mine}{result}"

    def result(self, s: Any) -> str:
        if s.phase == INJECT:
            return "It is over: the injection is not valid, for the circuit passes all tests."
        return f"It is over: {int((s.failing[1:] == 0).sum())} of {len(s.used)} repairers succeeded."

    # The picture: the circuit, and of each agent the tests that its circuit passes.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        repairers, over = len(s.used), bool(s.terminated.all())
        scene = Scene(20, BOTTOM + 0.4)
        moment = "over" if over else ("injection", "repair")[s.phase]
        scene.add(Label(0.6, 0.85, "Inject and repair", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        shown = 0 if agent is None else agent
        kinds = self.observation(s, shown).kinds.tolist()
        original = s.level.kinds.tolist()
        open_to_all = agent in (None, 0) or over
        changed = [k for k, kind in enumerate(kinds) if open_to_all and kind != UNKNOWN and kind != original[k]]
        box = (0.5, 1.5, 12.4, BOTTOM - 1.5)
        levels.draw_circuit(
            scene, box, s.level.tests.shape[1], len(s.expected), kinds, s.level.sources.tolist(), changed
        )
        rows = range(1 + repairers) if agent is None or over else (agent,)
        self._draw_tests(scene, s, agent, list(rows), over)
        return scene

    def _draw_tests(self, scene: Scene, s: Any, agent: int | None, rows: list[int], over: bool) -> None:
        """A table of the tests: for each of these agents whether its circuit passes, if that is known.

        For a single agent, the outputs of its circuit and the expected ones too.
        """
        scene.add(Rect(13.2, 1.5, 6.3, BOTTOM - 1.5, "panel", radius=0.25))
        across, pace = 3.6 / max(len(rows), 3), (BOTTOM - 3.7) / len(s.level.tests)
        heights = [2.9 + pace * (test + 0.5) for test in range(len(s.level.tests))]
        for test, y in enumerate(heights):
            bits = "".join(map(str, s.level.tests[test].tolist()))
            scene.add(Label(13.5, y, str(test), 0.34, "muted", "left"), Label(14.15, y, bits, 0.44, align="left"))
        for column, k in enumerate(rows):
            x, title = 15.7 + across * (column + 0.5), "I" if k == 0 else str(k - 1)
            scene.add(Circle(x, 2.25, 0.4, agent_color(k), glyph=title))
            scene.add(Label(x, 2.25, title, 0.42, text_on(agent_color(k)), bold=True, terminal=False))
            for test, y in enumerate(heights):
                ran = k > 0 and s.run[k - 1, test] != 0
                known = (k == 0 or s.phase == REPAIR) and (k == 0 or ran or agent is None or over)
                color = "line" if not known else "bad" if s.failing[k] >> test & 1 else "good"
                glyph = {"line": "?", "bad": "x", "good": "o"}[color]
                scene.add(Circle(x, y, min(0.4 * pace, 0.3), color, "ink" if ran else None, 0.06, glyph))
            word, color = self._progress(s, k, over)
            scene.add(Label(x, BOTTOM - 0.45, word, 0.38, color))
        if len(rows) == 1:
            seen = self.observation(s, rows[0])
            scene.add(Label(17.6, 2.25, "yours", 0.36, "muted"), Label(18.8, 2.25, "right", 0.36, "muted"))
            for test, y in enumerate(heights):
                for x, word in zip((17.6, 18.8), self.outputs(seen, test)):
                    scene.add(Label(x, y, word, 0.44, "muted" if word == "?" else "ink"))

    def _progress(self, s: Any, k: int, over: bool) -> tuple[str, str]:
        """What stands below an agent's column, and its color: its actions or changes, or the result of the repair."""
        if k == 0:
            return f"{s.edits}/{s.params.edits}", "muted"
        if over and s.phase == REPAIR:
            return ("✓", "good") if s.failing[k] == 0 else ("×", "bad")
        return "done" if s.ended[k - 1] else f"{s.used[k - 1]}/{s.params.steps}", "muted"


#: The lower edge of the panels of a picture.
BOTTOM = 11.0


env, raw_env, parallel_env = pettingzoo_forms(InjectAndRepair)
