"""Source reliability: learn which sources state true results, and whom to ask about the next claim.

**Rules.** In every round there is a claim such as `7 # 5 = 35`. The sign # stands for one of four operations (see
below), which is drawn for each claim, so the agent cannot compute the result. The claim states either the true result
or the result of a wrong operation, each with probability 1/2. The agent may, in any order:

1. ask a source, once in a round, for `ask_cost`. The source states the true result with its truth rate, and otherwise
   the false one of the two results;
2. check the claim for `check_cost`, which shows the truth;
3. answer `true` or `false`, which ends the round.

Sources of the same persona have the same truth rate; the agent knows the personas. The rates are hidden. They are drawn
at the start from the Beta distribution with the parameters `alpha` and `beta`, and statements are independent given the
rates.

With `feedback`, the truth of a claim is known after the answer. Otherwise only checks show it, and answers are paid at
the end.

*Operations*: the distance of the two numbers, the larger one, the sum, and the product. The numbers are drawn from 3 to
9; the four results then differ. The true operation and the wrong one are any two different ones, equally likely.

**Agents.** `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| claim | Box (4,) int16 | the two numbers, the stated result, and the other result; 0 after the end |
| said | Box (sources,) int8 | what each source says of the claim: 1 true, 0 false, -1 not asked in this round |
| truth | Box (1,) int8 | after a check 1 if the claim is true and 0 if not; -1 before |
| personas | Box (sources,) int8 | the persona of each source |
| counts | Box (sources, 2) int16 | statements of each source in earlier rounds, known as true and known as false |
| last | Box (2,) int8 | the last answer and the truth of its claim, 1 or 0; -1 if unknown |
| turn, left | Box (1,) int16 | rounds that have ended; rounds left, the present one included |
| rules | Box (5,) float64 | `ask_cost`, `check_cost`, `alpha`, `beta`, `feedback` |

**Actions.** Discrete (sources + 3).

| action | name | legal |
|---|---|---|
| 0 .. sources - 1 | `ask source_0`, ... | once in a round for each source |
| sources | `check` | once in a round |
| the last two | `answer true`, `answer false` | always |

**Window.** A click on a source asks it; a click on a button checks or answers. The keys 0 to 9 ask a source, c checks,
t and f answer.

**Rewards.** Minus the costs of questions and checks, as they arise. 1 for each right answer: at once with `feedback`,
otherwise for all answers together with the last one.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `sources` | 5 | number of sources, from 1 to 25 |
| `rounds` | 20 | number of claims, from 1 to 100 |
| `personas` | 0 | number of personas, from 0 to 25; each source has one of them at random; 0 gives each its own |
| `alpha` | 2 | first parameter of the distribution of rates, from 1 to 20 |
| `beta` | 1 | second parameter of the distribution of rates, from 1 to 20 |
| `ask_cost` | 0.05 | cost of a question, from 0 to 1 |
| `check_cost` | 0.4 | cost of a check, from 0 to 1 |
| `feedback` | True | whether the truth is known after the answer |

**Level.** ``{"rates": [0.9, 0.4], "personas": [0, 1, 1, 1, 0]}``: the rates of the personas, and the persona of each
source.

**Known values.**

- After r true and w false statements of sources of a persona, its rate has the Beta distribution with the parameters
  `alpha` + r and `beta` + w, and the mean (`alpha` + r) / (`alpha` + `beta` + r + w).
- The majority of n sources with the rate 0.6 is right with probability 0.648, 0.68256 and 0.753498 for n = 3, 5 and 11
  (Condorcet's jury theorem).
- Guessing earns 1/2 a round, and checking every claim 1 - `check_cost`.
- The best rule for votes of known rates weighs each vote by the logarithm of its odds (Nitzan and Paroush, 1982).

**Differences.** From the synthetic agents of Joshi et al.:

- There, a language model is trained on statements of the agents. Here, an agent asks them.
- There, an operator has a true and a false meaning for good, and agents have rates for groups of operators. Here, the
  sign's meaning changes with each claim, and a source has one rate.
- The drawn rates, costs, checks and pay are ours.

**Source.** Joshi, Rando, Saparov, Kim and He, "Personas as a Way to Model Truthfulness in Language Models", 2024;
Condorcet, "Essai sur l'application de l'analyse à la probabilité des décisions", 1785.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.elementary import log1p
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import plots
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: The truth of a claim, a statement or an answer that is not known, or not there.
UNKNOWN = -1

#: The most sources, rounds, and the largest parameter of the distribution of rates.
MOST, LONGEST, SUREST = 25, 100, 20

#: The operations, and the range of the numbers.
DISTANCE, LARGER, SUM, PRODUCT = range(4)
OPERATIONS = ("the distance", "the larger one", "the sum", "the product")
LOW, HIGH = 3, 9


def fields(sources: int, rounds: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("turn", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("rates", within(np.float64, 0, 1), (sources,)),  # truth rate of each persona: part of the level
        ("personas", below(np.int8, sources), (sources,)),  # of each source: part of the level
        ("numbers", within(np.int64, LOW, HIGH), (2,)),  # of the present claim
        ("operations", below(np.int64, len(OPERATIONS)), (2,)),  # the true one and the wrong one
        ("truths", within(np.int8, UNKNOWN, 1), (rounds,)),  # of each claim so far, the present one included
        ("said", within(np.int8, UNKNOWN, 1), (sources,)),  # what each source says of the present claim
        ("checked", flag(), (rounds,)),  # whether each claim was checked
        ("answers", within(np.int8, UNKNOWN, 1), (rounds,)),
        ("costs", within(np.float64, 0, sources + 1), (rounds,)),  # of questions and checks in each round
        ("counts", within(np.int64, 0, rounds), (sources, 2)),  # statements known as true, and as false
    ]


@kernel
def draw_beta(s, alpha, beta):
    """A number with the Beta distribution of integer parameters, by sums of exponential numbers."""
    one, other = 0.0, 0.0
    for _ in range(alpha):
        one -= log1p(-random.uniform(s))
    for _ in range(beta):
        other -= log1p(-random.uniform(s))
    return one / (one + other) if one > 0.0 else 0.0


@kernel
def reset(s):
    sources = s.said.shape[0]
    if s.level_given == 0:
        personas = s.params.personas
        for k in range(sources):
            s.personas[k] = k if personas == 0 else random.randint(s, personas)
            s.rates[k] = 0.0
        for k in range(sources if personas == 0 else personas):
            s.rates[k] = draw_beta(s, s.params.alpha, s.params.beta)
    for k in range(sources):
        s.counts[k, 0] = 0
        s.counts[k, 1] = 0
    for t in range(s.answers.shape[0]):
        s.truths[t] = UNKNOWN
        s.answers[t] = UNKNOWN
        s.checked[t] = 0
        s.costs[t] = 0.0
    s.turn = 0
    begin(s)


@kernel
def begin(s):
    """Draw the claim of this round."""
    for k in range(2):
        s.numbers[k] = LOW + random.randint(s, HIGH - LOW + 1)
    s.operations[0] = random.randint(s, len(OPERATIONS))
    s.operations[1] = (s.operations[0] + 1 + random.randint(s, len(OPERATIONS) - 1)) % len(OPERATIONS)
    s.truths[s.turn] = random.bernoulli(s, 0.5)
    for k in range(s.said.shape[0]):
        s.said[k] = UNKNOWN


@kernel
def result(s, operation):
    """What an operation gives for the numbers of the claim."""
    a, b = s.numbers[0], s.numbers[1]
    if operation == DISTANCE:
        return abs(a - b)
    if operation == LARGER:
        return max(a, b)
    return a + b if operation == SUM else a * b


@kernel
def stated(s, claimed):
    """The result that the claim states, or with `claimed` 0 the other one."""
    return result(s, s.operations[0 if s.truths[s.turn] == claimed else 1])


@kernel
def step(s, actions, rewards):
    sources, action, t = s.said.shape[0], actions[0], s.turn
    if action > sources:
        answer(s, sources + 2 - action, rewards)
        return
    if action < sources:
        honest = random.bernoulli(s, s.rates[s.personas[action]])
        s.said[action] = s.truths[t] if honest else 1 - s.truths[t]
        rewards[0] = -s.params.ask_cost
    else:
        s.checked[t] = 1
        rewards[0] = -s.params.check_cost
    s.costs[t] -= rewards[0]


@kernel
def shown(s, t):
    """The truth of the claim of round t, if the agent knows it."""
    if s.checked[t] != 0 or (s.params.feedback != 0 and s.answers[t] != UNKNOWN):
        return np.int64(s.truths[t])
    return np.int64(UNKNOWN)


@kernel
def answer(s, given, rewards):
    """End a round: pay, count statements of known truth, and begin the next round."""
    t, rounds = s.turn, s.answers.shape[0]
    s.answers[t] = given
    if s.params.feedback != 0:
        rewards[0] = 1.0 if s.answers[t] == s.truths[t] else 0.0
    elif t == rounds - 1:
        for k in range(rounds):
            rewards[0] += s.answers[k] == s.truths[k]
    for k in range(s.said.shape[0]):
        if s.said[k] != UNKNOWN and shown(s, t) != UNKNOWN:
            s.counts[k, 0 if s.said[k] == s.truths[t] else 1] += 1
        s.said[k] = UNKNOWN
    s.turn += 1
    if s.turn < rounds:
        begin(s)
    else:
        s.terminated[0] = 1


@kernel
def observe(s, agent, out):
    running = s.turn < s.answers.shape[0]
    for k in range(2):
        out.claim[k] = s.numbers[k] if running else 0
        out.claim[2 + k] = stated(s, 1 - k) if running else 0
    for k in range(s.said.shape[0]):
        out.said[k] = s.said[k]
        out.personas[k] = s.personas[k]
        out.counts[k, 0] = s.counts[k, 0]
        out.counts[k, 1] = s.counts[k, 1]
    out.truth[0] = shown(s, s.turn) if running else UNKNOWN
    out.last[0] = s.answers[s.turn - 1] if s.turn > 0 else UNKNOWN
    out.last[1] = shown(s, s.turn - 1) if s.turn > 0 else UNKNOWN
    out.turn[0] = s.turn
    out.left[0] = s.answers.shape[0] - s.turn
    out.rules[0] = s.params.ask_cost
    out.rules[1] = s.params.check_cost
    out.rules[2] = s.params.alpha
    out.rules[3] = s.params.beta
    out.rules[4] = s.params.feedback


@kernel
def legal(s, agent, mask):
    sources = s.said.shape[0]
    for k in range(sources):
        mask[k] = s.said[k] == UNKNOWN
    mask[sources] = s.checked[s.turn] == 0
    mask[sources + 1] = 1
    mask[sources + 2] = 1


PAGE = Page(
    role="You play {rounds:round}. In a round you say whether a claim is true.",
    goal=(
        When(
            "feedback",
            "A right answer pays 1, at once.",
            "A right answer pays 1; all answers are paid after the last one.",
        ),
        When("ask_cost", "A question to a source costs {ask_cost}.", "Questions to sources are free."),
        When("check_cost", "A check costs {check_cost}.", "Checks are free."),
    ),
    rules=(
        "A claim has two numbers and a result. The sign between the numbers stands for an operation that is drawn for "
        "each claim and hidden: the distance of the numbers, the larger one, their sum, or their product. The claim "
        "states either the true result or that of another of these operations, each with a chance of one half. You "
        "are told both results, but not which is true.",
        "You can ask {sources:source}. A source states the true result with its truth rate, and otherwise the false "
        "one. {personas_rule} Truth rates are hidden. They were drawn at the start, each from a Beta({alpha}, "
        "{beta}) distribution, and stay the same.",
    ),
    sees=When(
        "feedback",
        "After your answer you are told whether the claim was true.",
        "Whether a claim was true is shown by checks alone.",
    ),
    acts={
        "ask source_{N}": "hear which result a source states, once in a round",
        "check": "see whether the claim is true, once in a round",
        ("answer true", "answer false"): "answer, which ends the round",
    },
    ends="It is over after {rounds:round}.",
    constants={"1": "the pay of a right answer", "half": "a chance", "two": "numbers"},
)


class SourceReliability(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    turns = "sequential"

    kind = ("knowledge",)
    verified = "exact posteriors; the jury theorem's numbers; the best plans of small cases by enumeration"
    variants = (
        dict(sources=3, rounds=4, personas=2, feedback=False),
        dict(sources=6, rounds=3, personas=3, alpha=1, ask_cost=0.0),
    )
    shown = "bayes"

    def __init__(
        self,
        sources: Annotated[int, Between(1, MOST)] = 5,
        rounds: Annotated[int, Between(1, LONGEST)] = 20,
        personas: Annotated[int, Between(0, MOST)] = 0,
        alpha: Annotated[int, Between(1, SUREST)] = 2,
        beta: Annotated[int, Between(1, SUREST)] = 1,
        ask_cost: Annotated[float, Between(0, 1)] = 0.05,
        check_cost: Annotated[float, Between(0, 1)] = 0.4,
        feedback: bool = True,
    ):
        if personas > sources:
            raise ParameterError(f"SourceReliability: personas={personas} must be at most sources={sources}")
        names = [f"source_{k}" for k in range(sources)]
        self.tools = (
            (
                Tool("ask", "ask {source}", "Ask a source what the result is.", {"source": names}),
                Tool("check", "check", "Find out whether the claim is true."),
                Tool("answer", "answer {claim}", "Say whether the claim is true.", {"claim": ["true", "false"]}),
            ),
        )
        asks = {str(k): f"ask {name}" for k, name in enumerate(names[:10])}
        self.keys = asks | {"c": "check", "t": "answer true", "f": "answer false"}
        most = np.array([1.0, 1.0, SUREST, SUREST, 1.0])
        self.define(
            agents=["agent"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                claim=Box(0, HIGH * HIGH, (4,), np.int16),
                said=Box(UNKNOWN, 1, (sources,), np.int8),
                truth=Box(UNKNOWN, 1, (1,), np.int8),
                personas=Box(0, sources - 1, (sources,), np.int8),
                counts=Box(0, rounds, (sources, 2), np.int16),
                last=Box(UNKNOWN, 1, (2,), np.int8),
                turn=Box(0, rounds, (1,), np.int16),
                left=Box(0, rounds, (1,), np.int16),
                rules=Box(0.0, most, (5,), np.float64),
            ),
            fields=fields(sources, rounds),
            params={
                "personas": limited(personas, 0, sources),
                "alpha": alpha,
                "beta": beta,
                "ask_cost": float(ask_cost),
                "check_cost": float(check_cost),
                "feedback": int(feedback),
            },
            reward_range=(-max(float(ask_cost), float(check_cost)), 1.0 if feedback else float(rounds)),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.turn >= len(s.answers) + s.terminated[0]:
            return "all rounds have been played"
        answered = s.answers != UNKNOWN
        return None if answered[: s.turn].all() and not answered[s.turn :].any() else "answers do not go with the round"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "rates", "personas")
        what = f"{self.id}: the level's rates"
        rates = read_numbers(level["rates"], what, ((1, len(s.said)),), 0, 1)
        what, shape = f"{self.id}: the level's personas", s.personas.shape
        s.personas[:] = read_numbers(level["personas"], what, shape, 0, len(rates) - 1, whole=True)
        s.rates[:] = 0.0
        s.rates[: len(rates)] = rates

    def get_level(self, s: Any) -> dict[str, Any]:
        count = 1 + max(int(s.personas.max()), *np.flatnonzero(s.rates).tolist())
        return {"rates": s.rates[:count].tolist(), "personas": s.personas.tolist()}

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        personas = self.parameters["personas"]
        shared = (
            f"Each has one of {personas} personas, which you know; sources of one persona have the same truth rate."
        )
        return {"personas_rule": shared if personas else "Each has a persona and a truth rate of its own."}

    def text(self, s: Any, agent: int) -> str:
        seen, rounds = self.observation(s, agent), len(s.answers)
        lines = []
        if s.turn:
            truth = {1: "it was true", 0: "it was false", UNKNOWN: "its truth is not known"}[int(seen.last[1])]
            lines.append(f"Your last answer was `{WORDS[seen.last[0]]}`; {truth}.")
        says = {1: seen.claim[2], 0: seen.claim[3]}
        for k, said in enumerate(seen.said.tolist()):
            told = f" It states {says[said]}." if said != UNKNOWN else ""
            true, false = seen.counts[k].tolist()
            lines.append(f"- source_{k}, persona {seen.personas[k]}: {true} true and {false} false statements.{told}")
        if s.turn == rounds:
            return "\n".join([*lines, f"It is over after {rounds} rounds."])
        a, b, this, other = seen.claim.tolist()
        lines.append(f"Round {s.turn + 1} of {rounds}. The claim: {a} # {b} = {this}. If it is false, it is {other}.")
        if seen.truth[0] != UNKNOWN:
            lines.append(f"Your check shows that it is {WORDS[seen.truth[0]]}.")
        return "\n".join(lines)

    # The picture: the claim and the buttons, a card for each source, and the pay by round.

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        sources = len(s.said)
        for k in range(sources):
            left, top, width = card_of(k, sources)
            if left <= x <= left + width and top <= y <= top + TALL:
                return k
        for k, (left, _) in enumerate(BUTTONS):
            if left <= x <= left + WIDE and BUTTON_TOP <= y <= BUTTON_TOP + 1.0:
                return sources + k
        return None

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, sources = len(s.answers), len(s.said)
        over = s.turn == rounds
        bottom = card_of(sources - 1, sources)[1] + TALL + 0.4
        scene = Scene(20, bottom + 4.4)
        scene.add(Label(0.6, 0.85, "Source reliability", 0.65, align="left", bold=True))
        moment = f"over after {rounds} rounds" if over else f"round {s.turn + 1} of {rounds}"
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        self._draw_claim(scene, s, agent is None)
        for k in range(sources):
            self._draw_source(scene, s, k, agent is None or over)
        self._draw_pay(scene, s, bottom, agent is None or over)
        return scene

    def _draw_claim(self, scene: Scene, s: Any, all_known: bool) -> None:
        """The claim, its truth where it is known, and the three buttons."""
        scene.add(Rect(0.5, 1.5, 19, 2.2, "panel", radius=0.25))
        if s.turn == len(s.answers):
            right = int((s.answers == s.truths).sum())
            scene.add(Label(10, 2.6, f"{right} of {s.turn} answers were right", 0.8, bold=True))
            return
        a, b = s.numbers
        scene.add(Label(1.2, 2.4, f"{a} # {b} = {stated(s, 1)}", 1.0, align="left", bold=True))
        scene.add(Label(1.2, 3.25, f"or is it {stated(s, 0)}?", 0.45, "muted", "left"))
        truth = int(s.truths[s.turn]) if all_known else int(shown(s, s.turn))
        if truth != UNKNOWN:
            words = f"{WORDS[truth]}: # is {OPERATIONS[s.operations[0]]}" if all_known else f"checked: {WORDS[truth]}"
            scene.add(Label(19.0, 3.25, words, 0.45, align="right", bold=True))
        for (left, name), color in zip(BUTTONS, ("gold", "good", "bad")):
            scene.add(Rect(left, BUTTON_TOP, WIDE, 1.0, color, radius=0.25))
            scene.add(Label(left + WIDE / 2, BUTTON_TOP + 0.5, name, 0.5, text_on(color), bold=True))

    def _draw_source(self, scene: Scene, s: Any, k: int, known: bool) -> None:
        """A card: the source, the density of its rate, the hidden rate where it is known, and its statement."""
        left, top, width = card_of(k, len(s.said))
        persona, said = int(s.personas[k]), int(s.said[k])
        color = agent_color(persona)
        outline = None if said == UNKNOWN else "good" if said else "bad"
        scene.add(Rect(left, top, width, TALL, "panel", outline, 0.09, radius=0.25))
        scene.add(Circle(left + 0.55, top + 0.6, 0.38, color))
        scene.add(Label(left + 0.55, top + 0.6, str(k), 0.42, text_on(color), bold=True))
        true, false = s.counts[k].tolist()
        scene.add(Label(left + 1.1, top + 0.42, f"{true} true, {false} false", 0.34, align="left", width=width - 1.3))
        scene.add(Label(left + 1.1, top + 0.82, f"persona {persona}", 0.3, "muted", "left"))
        alpha, beta = posterior(s, persona)
        x0, x1, y0, height = left + 0.3, left + width - 0.3, top + TALL - 0.95, 1.05
        at = np.linspace(0.0, 1.0, 41)
        density = np.power(at, alpha - 1.0) * np.power(1.0 - at, beta - 1.0)
        density /= density.max()
        curve = [(x0 + (x1 - x0) * x, y0 - height * y) for x, y in zip(at.tolist(), density.tolist())]
        scene.add(Polygon([(x0, y0), *curve, (x1, y0)], color, glyph=""))
        scene.add(Line([(x0, y0), (x1, y0)], "muted", 0.04))
        mean = x0 + (x1 - x0) * alpha / (alpha + beta)
        scene.add(Line([(mean, y0), (mean, y0 + 0.14)], "ink", 0.06))
        if known:
            place = x0 + (x1 - x0) * float(s.rates[persona])
            scene.add(Line([(place, y0 - height), (place, y0)], "ink", 0.06))
        if said != UNKNOWN:
            words = f"“{stated(s, said)}”"
            fill = "good" if said else "bad"
            scene.add(Rect(left + 0.3, top + TALL - 0.72, width - 0.6, 0.58, fill, radius=0.2))
            scene.add(Label(left + width / 2, top + TALL - 0.43, words, 0.42, text_on(fill), bold=True))
        else:
            scene.add(Label(left + width / 2, top + TALL - 0.43, f"mean {alpha / (alpha + beta):.2f}", 0.34, "muted"))

    def _draw_pay(self, scene: Scene, s: Any, top: float, known: bool) -> None:
        """Curves: what has been earned, if that is known, or the costs alone; and what checks would have earned."""
        rounds, costs = len(s.answers), np.cumsum(s.costs[: s.turn])
        checks = [(1.0 - s.params.check_cost) * (t + 1) for t in range(s.turn)]
        right = np.cumsum(s.answers[: s.turn] == s.truths[: s.turn])
        box = (0.5, top, 19, 3.9)
        if known or s.params.feedback:
            earned = (right - costs).tolist()
            title = f"earned: {earned[-1] if earned else 0:.4g}"
            lines = [(checks, "grey", "checking every claim"), (earned, "blue", "earned")]
            ends = (min([0.0, *earned]), max([1.0, *earned, *checks]))
        else:
            title, lines = f"costs: {s.costs.sum():.4g}", [(costs.tolist(), "bad", "costs")]
            ends = (0.0, max(1.0, float(s.costs.sum())))
        plots.curves(scene, box, title, lines, rounds, ends)


def posterior(s: Any, persona: int) -> tuple[int, int]:
    """The parameters of the Beta distribution of a persona's rate, after all statements of known truth."""
    true, false = s.counts[s.personas == persona].sum(axis=0).tolist()
    return int(s.params.alpha) + true, int(s.params.beta) + false


#: Words for the truth of a claim.
WORDS = {1: "true", 0: "false"}

#: The buttons: left ends and names; their width and top. The height of a card.
BUTTONS = ((8.6, "check"), (12.3, "true"), (16.0, "false"))
WIDE, BUTTON_TOP, TALL = 3.0, 1.8, 3.2


def card_of(k: int, sources: int) -> tuple[float, float, float]:
    """The left end, top and width of a source's card."""
    columns = min(sources, 5)
    pace = 19.2 / columns
    return 0.5 + pace * (k % columns), 4.1 + (TALL + 0.2) * (k // columns), pace - 0.2


env, raw_env, parallel_env = pettingzoo_forms(SourceReliability)
