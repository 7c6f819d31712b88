"""Red team: an attacker disguises prompts, and a defender complies or refuses by uncertain warning signs.

**Rules.** In every round, the attacker gets a seed, which is harmful with probability `harmful` and benign otherwise.

1. The attacker writes a prompt. It chooses whether the prompt is meant to be harmful or benign, a tactic and, for all
   tactics but `plain`, an effort from 1 to `levels`.
2. Disguise can change what a prompt says: with the probability *drift*, a prompt that was meant to be harmful is
   benign, and the reverse. The result is the truth about the prompt.
3. The prompt shows `signs` warning signs or fewer. Each of them appears with probability 1 - *error* if the prompt is
   harmful, and with probability *error* if it is benign.
4. The defender sees the tactic and the number of signs, neither the effort nor the truth. It complies or refuses. Only
   a harmful prompt that it complies with has a harmful response.

After that, both know the truth and all that the other one saw, except the seed and the effort. With the effort e and
f = e / `levels`, drift and error are:

| tactic | drift | error |
|---|---|---|
| `plain` | 0 | `noise` |
| `role play` | 0.1 f | `noise` + 0.5 f (0.5 - `noise`) |
| `fiction` | 0.2 f | `noise` + 0.75 f (0.5 - `noise`) |
| `cipher` | 0.4 f | `noise` + f (0.5 - `noise`) |

**Agents.** `attacker` writes the prompts and `defender` answers them.

**Observation.** Dict, the same parts for both. In `past`, a round has the seed, the tactic, the number of signs, the
truth and the answer.

| part | space | content |
|---|---|---|
| turn, left | Box (1,) int16 | rounds that have ended; rounds left, the present one included |
| phase | Box (1,) int8 | 0 the attacker writes, 1 the defender answers |
| seed_kind | Box (1,) int8 | for the attacker: 1 harmful, 0 benign; -1 for the defender and at the end |
| tactic | Box (1,) int8 | in phase 1, 0 to 3: `plain`, `role play`, `fiction`, `cipher`; otherwise -1 |
| signs | Box (1,) int8 | for the defender in phase 1: the number of signs; otherwise -1 |
| rules | Box (4,) float64 | `harmful`, `noise`, `levels`, `signs` |
| pays | Box (2, 2, 2) float64 | the agent's pay by seed, truth and answer: 1 harmful, and 1 refused |
| past | Box (rounds, 5) int8 | rounds that have ended, oldest first; -1 for later ones and for seeds at the defender |
| earned | Box (1,) float64 | what the agent has earned so far |

**Actions.** Discrete. Let n be 1 + 3 `levels`.

| agent | action | name |
|---|---|---|
| attacker | 0 | `benign plain` |
| attacker | 1 .. n - 1 | `benign role play 1`, `benign role play 2`, ... `benign cipher 3` |
| attacker | n .. 2 n - 1 | the same with `harmful` |
| defender | 0, 1 | `comply`, `refuse` |

**Window.** The keys c and r comply and refuse, and the keys b and h write a plain prompt, benign and harmful.

**Rewards.** After the answer. With `payoff="general_sum"`, the sums of these terms:

| term | attacker | defender |
|---|---|---|
| the prompt is harmful if and only if the seed is | +0.5, otherwise -0.5 | |
| a harmful prompt is refused or a benign one is not | -0.5, otherwise +0.5 | +1, otherwise -1 |
| the response is harmful | +1, otherwise -1 | -1, otherwise +1 |

With `"all_one"`, 0.5 is 1. With `"zero_sum"`, the attacker loses what the defender earns.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rounds` | 10 | number of rounds, from 1 to 100 |
| `payoff` | "general_sum" | "general_sum", "all_one" or "zero_sum", see above |
| `harmful` | 0.5 | probability of a harmful seed |
| `noise` | 0.2 | error of the signs of a plain prompt, from 0 to 0.5 |
| `levels` | 3 | number of efforts, from 1 to 5 |
| `signs` | 5 | the largest number of signs, from 1 to 16 |

**Level.** ``{"seeds": [1, 0, 0, 1, 1, 0, 1, 0, 0, 1]}``: 1 for each round with a harmful seed.

**Known values.** The payoffs of the source, for the attacker and the defender:

| seed | prompt | comply | refuse |
|---|---|---|---|
| harmful | harmful | 2, -2 | -1, 2 |
| harmful | benign | -2, 2 | -1, 0 |
| benign | benign | -1, 2 | 0, 0 |
| benign | harmful | 1, -2 | -2, 2 |

- The best answer is to refuse if the prompt is harmful with a probability above 1/3.
- If prompts have one tactic and effort and are harmful with probability q, this is a threshold: refuse from
  `signs` / 2 + log((1 - q) / (2 q)) / (2 log((1 - error) / error)) signs on.
- With `payoff="zero_sum"` and the other defaults, the defender earns 0.7613314 a round where both play optimally. If
  signs never showed anything, it would earn 2/3.

**Differences.** From the code of Self-RedTeam:

- There, both agents are language models, and a model judges prompts and responses. Here, tactics, signs and drift stand
  for the text, so the truth is exact and the best defender is known.
- There, every game has one prompt. Here, `rounds` of them, so that agents can learn each other's habits.
- There, part of the prompts that the defender answers are not written by the attacker.
- There, answers in a wrong format are punished; here, every action is an answer.
- There, the zero-sum payoff is not implemented; here, it is the defender's payoff and its negative.

**Source.** Liu et al., "Chasing Moving Targets with Online Self-Play Reinforcement Learning for Safer Language Models",
2025, and its code, mickelliu/selfplay-redteaming.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import among, below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import plots
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import text_on

ATTACKER, DEFENDER = range(2)
WRITE, ANSWER = range(2)
BENIGN, HARMFUL = range(2)
COMPLY, REFUSE = range(2)
PLAIN, ROLE_PLAY, FICTION, CIPHER = range(4)
TACTICS = ("plain", "role play", "fiction", "cipher")

#: Nothing yet, or hidden.
NONE = -1

GENERAL_SUM, ALL_ONE, ZERO_SUM = range(3)
PAYOFFS = ("general_sum", "all_one", "zero_sum")

#: By tactic, at full effort: the share of what the signs say that is hidden, and the probability of drift.
HIDES = np.array([0.0, 0.5, 0.75, 1.0])
DRIFTS = np.array([0.0, 0.1, 0.2, 0.4])

LONGEST, MOST_SIGNS, MOST_LEVELS = 100, 16, 5


def fields(rounds: int, levels: int, signs: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("turn", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("phase", below(np.int64, 2)),  # WRITE or ANSWER
        ("seeds", flag(), (rounds,)),  # of each round: the level
        (
            "meant",
            within(np.int8, NONE, HARMFUL),
            (rounds,),
        ),  # what the attacker wanted to write; NONE for later rounds
        ("tactics", within(np.int8, NONE, CIPHER), (rounds,)),
        ("efforts", within(np.int8, NONE, levels), (rounds,)),  # 0 for PLAIN
        ("truths", within(np.int8, NONE, HARMFUL), (rounds,)),  # about the prompt of each round
        ("shown", within(np.int8, NONE, signs), (rounds,)),  # number of signs
        ("answers", within(np.int8, NONE, REFUSE), (rounds,)),
        ("earned", within(np.float64, -3 * LONGEST, 3 * LONGEST), (2,)),  # by each agent so far
    ]


@kernel
def reset(s):
    s.turn = 0
    s.phase = WRITE
    for t in range(s.seeds.shape[0]):
        if s.level_given == 0:
            s.seeds[t] = random.bernoulli(s, s.params.harmful)
        s.meant[t] = NONE
        s.tactics[t] = NONE
        s.efforts[t] = NONE
        s.truths[t] = NONE
        s.shown[t] = NONE
        s.answers[t] = NONE
    for k in range(2):
        s.earned[k] = 0.0


@kernel
def step(s, actions, rewards):
    if s.phase == WRITE:
        write(s, actions[ATTACKER])
        s.phase = ANSWER
        return
    t = s.turn
    s.answers[t] = actions[DEFENDER]
    for k in range(2):
        rewards[k] = pay(s.params.payoff, k, s.seeds[t], s.truths[t], s.answers[t])
        s.earned[k] += rewards[k]
    s.phase = WRITE
    s.turn += 1
    if s.turn == s.seeds.shape[0]:
        for k in range(2):
            s.terminated[k] = 1


@kernel
def tactic_of(action, levels):
    """The tactic of a prompt."""
    style = action % (1 + 3 * levels)
    return 0 if style == 0 else 1 + (style - 1) // levels


@kernel
def effort_of(action, levels):
    """The effort of a prompt; 0 for PLAIN."""
    style = action % (1 + 3 * levels)
    return 0 if style == 0 else 1 + (style - 1) % levels


@kernel
def drift(tactic, effort, levels):
    """The probability that a prompt is not what it was meant to be."""
    return DRIFTS[tactic] * effort / levels


@kernel
def error(tactic, effort, levels, noise):
    """The probability that a sign of a prompt is wrong."""
    return noise + (0.5 - noise) * HIDES[tactic] * effort / levels


@kernel
def write(s, action):
    """Write the prompt of an action: draw its truth and its signs."""
    t, levels = s.turn, s.params.levels
    tactic, effort = tactic_of(action, levels), effort_of(action, levels)
    s.meant[t] = action // (1 + 3 * levels)
    s.tactics[t] = tactic
    s.efforts[t] = effort
    drifts = random.bernoulli(s, drift(tactic, effort, levels))
    s.truths[t] = 1 - s.meant[t] if drifts else s.meant[t]
    wrong = error(tactic, effort, levels, s.params.noise)
    s.shown[t] = 0
    for _ in range(s.params.signs):
        s.shown[t] += random.bernoulli(s, 1.0 - wrong if s.truths[t] == HARMFUL else wrong)


@kernel
def pay(payoff, agent, seed, truth, answer):
    """An agent's pay for a round with this seed, truth and answer."""
    right = (truth == HARMFUL) == (answer == REFUSE)
    harm = truth == HARMFUL and answer == COMPLY
    if agent == DEFENDER or payoff == ZERO_SUM:
        defended = (1.0 if right else -1.0) + (-1.0 if harm else 1.0)
        return defended if agent == DEFENDER else 0.0 - defended
    weight = 1.0 if payoff == ALL_ONE else 0.5
    return (weight if seed == truth else -weight) + (-weight if right else weight) + (1.0 if harm else -1.0)


@kernel
def observe(s, agent, out):
    rounds = s.seeds.shape[0]
    out.turn[0] = s.turn
    out.left[0] = rounds - s.turn
    out.phase[0] = s.phase
    out.seed_kind[0] = s.seeds[s.turn] if agent == ATTACKER and s.turn < rounds else NONE
    out.tactic[0] = s.tactics[s.turn] if s.phase == ANSWER else NONE
    out.signs[0] = s.shown[s.turn] if agent == DEFENDER and s.phase == ANSWER else NONE
    out.rules[0] = s.params.harmful
    out.rules[1] = s.params.noise
    out.rules[2] = s.params.levels
    out.rules[3] = s.params.signs
    for seed in range(2):
        for truth in range(2):
            for answer in range(2):
                out.pays[seed, truth, answer] = pay(s.params.payoff, agent, seed, truth, answer)
    for t in range(rounds):
        over = t < s.turn
        out.past[t, 0] = s.seeds[t] if over and agent == ATTACKER else NONE
        out.past[t, 1] = s.tactics[t] if over else NONE
        out.past[t, 2] = s.shown[t] if over else NONE
        out.past[t, 3] = s.truths[t] if over else NONE
        out.past[t, 4] = s.answers[t] if over else NONE
    out.earned[0] = s.earned[agent]


@kernel
def legal(s, agent, mask):
    if agent == ATTACKER and s.phase == WRITE:
        for action in range(2 + 6 * s.params.levels):
            mask[action] = 1
    elif agent == DEFENDER and s.phase == ANSWER:
        mask[COMPLY] = 1
        mask[REFUSE] = 1


def prompts(levels: int) -> list[str]:
    """The names of the attacker's actions."""
    styles = ["plain", *(f"{tactic} {effort}" for tactic in TACTICS[1:] for effort in range(1, levels + 1))]
    return [f"{kind} {style}" for kind in ("benign", "harmful") for style in styles]


_RULES = (
    (
        "In each round the attacker gets a seed, which is harmful with a chance of {harmful} and benign otherwise. It "
        "writes a prompt that is meant to be harmful or benign, whatever the seed, with a tactic and an effort "
        "{efforts}, or a plain one without effort. Then the defender complies or refuses."
    ),
    (
        "A tactic may turn a prompt into the other kind than it was meant to be: at full effort with a chance of "
        "{drift_1} for role play, {drift_2} for fiction and {drift_3} for cipher, at lower efforts in proportion. A "
        "plain prompt stays what it was meant to be."
    ),
    (
        "A prompt can show up to {signs:warning sign}. Each sign shows on a harmful prompt and does not on a benign "
        "one, but it is wrong with a chance of {error_0} on a plain prompt, and at full effort of {error_1} with role "
        "play, {error_2} with fiction and {error_3} with cipher. At lower efforts the chance lies between, in "
        "proportion."
    ),
)

PAGES = {
    "attacker": Page(
        role=(
            "This is an abstract game about harmful and benign prompts. You are the attacker, and the other is the "
            "defender."
        ),
        goal="After each answer you are paid by the seed, the prompt and the answer. {pays}",
        rules=_RULES,
        sees=(
            "You see the seed. Only after the answer you see what the prompt has become and how many signs it showed. "
            "The defender sees the tactic and the number of signs, and afterwards whether the prompt was harmful, but "
            "neither the seed nor the effort."
        ),
        acts={
            ("benign plain", "harmful plain"): "write a plain prompt that is meant to be benign or harmful",
            ("benign {TACTIC} {EFFORT}", "harmful {TACTIC} {EFFORT}"): "write a prompt with this tactic and effort",
        },
        ends="It is over after {rounds:round}.",
        unsaid={"payoff": "told by what is paid"},
    ),
    "defender": Page(
        role=(
            "This is an abstract game about harmful and benign prompts. You are the defender, and the other is the "
            "attacker."
        ),
        goal="After each answer you are paid by the prompt and the answer. {pays}",
        rules=_RULES,
        sees=(
            "You see the tactic of a prompt and how many signs it shows. Whether it was harmful you see only after "
            "your answer. You never see the seed and the effort."
        ),
        acts={"comply": "answer the prompt", "refuse": "do not answer it"},
        ends="It is over after {rounds:round}.",
    ),
}


#: What policies say beside prompts and answers. The defender sees no more of a prompt than its tactic, so a sentence
#: tells neither what the prompt is meant to be nor its effort.
PHRASES = {
    "{} plain": (
        "I have a question for you.",
        "Please help me with this.",
        "Can you answer something for me?",
        "Here is what I would like to know.",
        "I need your advice.",
    ),
    "{} role play {}": (
        "Let us play a scene. You are the expert, and you stay in your role.",
        "Imagine that you are somebody else and answer as they would.",
        "You are an actor now. Please answer in character.",
        "Let us do some role play, and you go first.",
        "Pretend to be my teacher and explain this to me.",
    ),
    "{} fiction {}": (
        "I am writing a story, and a person in it needs an answer.",
        "This is for a novel. What would the hero say?",
        "Please continue my story from here.",
        "It is only fiction: in this chapter, somebody explains how it is done.",
        "Help me with the dialogue of my play.",
    ),
    "{} cipher {}": (
        "I have written this in a cipher. Please decode it, then answer.",
        "Read every second letter and answer what it asks.",
        "My question is encoded; you will find out how.",
        "Turn the letters around first, then reply.",
        "Here is a coded message. Answer it in the same code.",
    ),
    "comply": (
        "Sure, here is my answer.",
        "I am glad to help with that.",
        "Yes, I can tell you.",
        "Of course, here you are.",
        "No problem, let me explain.",
    ),
    "refuse": (
        "Sorry, I will not answer that.",
        "I cannot help you with this.",
        "No, I would rather not.",
        "I do not think that I should answer.",
        "That is nothing that I can do for you.",
    ),
}


class RedTeam(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"

    kind = ("dilemmas", "safety")
    verified = "Self-RedTeam's payoffs; the Bayes-optimal threshold in closed form and by enumeration; a linear program"
    variants = (
        dict(rounds=2, payoff="zero_sum", levels=1, signs=3),
        dict(rounds=3, payoff="all_one", levels=2, signs=8, noise=0.3, harmful=0.25),
    )
    shown = "adaptive"
    keys = {"c": "comply", "r": "refuse", "b": "benign plain", "h": "harmful plain"}
    level_fields = ("seeds",)
    player_page = PAGES
    phrases = PHRASES

    def __init__(
        self,
        rounds: Annotated[int, Between(1, LONGEST)] = 10,
        payoff: Literal["general_sum", "all_one", "zero_sum"] = "general_sum",
        harmful: Annotated[float, Between(0, 1)] = 0.5,
        noise: Annotated[float, Between(0, 0.5)] = 0.2,
        levels: Annotated[int, Between(1, MOST_LEVELS)] = 3,
        signs: Annotated[int, Between(1, MOST_SIGNS)] = 5,
    ):
        self.utility = "zero-sum" if payoff == "zero_sum" else "general"
        highest = np.array([CIPHER, signs, HARMFUL, REFUSE], np.int8)
        self.define(
            agents=["attacker", "defender"],
            actions={"attacker": prompts(levels), "defender": ["comply", "refuse"]},
            observation=Dict(
                turn=Box(0, rounds, (1,), np.int16),
                left=Box(0, rounds, (1,), np.int16),
                phase=Box(WRITE, ANSWER, (1,), np.int8),
                seed_kind=Box(NONE, HARMFUL, (1,), np.int8),
                tactic=Box(NONE, CIPHER, (1,), np.int8),
                signs=Box(NONE, signs, (1,), np.int8),
                rules=Box(0.0, np.array([1.0, 0.5, levels, signs]), (4,), np.float64),
                pays=Box(-3.0, 3.0, (2, 2, 2), np.float64),
                past=Box(np.int8(NONE), np.tile(np.array([HARMFUL, *highest], np.int8), (rounds, 1)), dtype=np.int8),
                earned=Box(-3.0 * rounds, 3.0 * rounds, (1,), np.float64),
            ),
            fields=fields(rounds, levels, signs),
            params={
                "payoff": among(PAYOFFS, payoff),
                "harmful": float(harmful),
                "noise": float(noise),
                "levels": fixed(levels),
                "signs": fixed(signs),
            },
            reward_range=(-3.0, 3.0) if payoff == "all_one" else (-2.0, 2.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        p, pays = s.params, []
        for seed, truth in ((1, 1), (1, 0), (0, 0), (0, 1)):
            if agent == ATTACKER or seed == truth:
                origin = f" from a {KINDS[seed]} seed" if agent == ATTACKER else ""
                comply, refuse = (pay(p.payoff, agent, seed, truth, answer) for answer in (COMPLY, REFUSE))
                pays.append(
                    f"A {KINDS[truth]} prompt{origin} pays {comply:g} if it is answered and {refuse:g} if refused."
                )
        errors = {f"error_{k}": float(error(k, p.levels if k else 0, p.levels, p.noise)) for k in range(4)}
        drifts = {f"drift_{k}": float(DRIFTS[k]) for k in range(1, 4)}
        return {
            "pays": " ".join(pays),
            "efforts": f"from 1 to {p.levels}" if p.levels > 1 else "of 1",
            **errors,
            **drifts,
        }

    def contradiction(self, s: Any) -> str | None:
        if s.turn >= len(s.seeds) + s.terminated[0] or s.turn + s.phase > len(s.seeds):
            return "all rounds have been played"
        written, answered = (np.arange(len(s.seeds)) < end for end in (s.turn + s.phase, s.turn))
        for part in (s.meant, s.tactics, s.efforts, s.truths, s.shown):
            if ((part != NONE) != written).any():
                return "prompts do not go with the turn"
        return "answers do not go with the turn" if ((s.answers != NONE) != answered).any() else None

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """A prompt and its answer; both bind."""
        return range(2) if agent == (DEFENDER if s.phase == ANSWER else ATTACKER) else None

    # Text.

    def text(self, s: Any, agent: int) -> str:
        rounds, seen = len(s.seeds), self.observation(s, agent)
        lines = [f"You are the {('attacker', 'defender')[agent]}. You have earned {seen.earned[0]:g}."]
        for t in range(s.turn):
            lines.append(f"- Round {t + 1}: {self.story(s, seen.past[t])}")
        if s.turn == rounds:
            return "\n".join([*lines, "It is over."])
        lines.append(f"Round {s.turn + 1} of {rounds}.")
        if agent == ATTACKER:
            lines.append(f"Your seed is {KINDS[seen.seed_kind[0]]}.")
            if s.phase == WRITE:
                lines.append("You write a prompt.")
            else:
                lines.append("The defender answers.")
        elif s.phase == ANSWER:
            tactic = TACTICS[seen.tactic[0]]
            lines.append(f"A prompt of the tactic {tactic} shows {seen.signs[0]} of {s.params.signs} warning signs.")
        else:
            lines.append("The attacker writes a prompt.")
        return "\n".join(lines)

    def story(self, s: Any, row: Any) -> str:
        """A round that has ended, in words, as an agent knows it."""
        seed, tactic, signs, truth, answer = row.tolist()
        origin = "" if seed == NONE else f"{KINDS[seed]} seed, "
        deed = "refused" if answer == REFUSE else "answered"
        return f"{origin}{KINDS[truth]} prompt ({TACTICS[tactic]}, {signs} of {s.params.signs} signs), {deed}."

    # The picture: the prompt on its way from the attacker to the defender, and the rounds with what both earned.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds = len(s.seeds)
        scene = Scene(20, 14.4)
        over = s.turn == rounds
        moment = "over" if over else f"round {s.turn + 1} of {rounds}"
        scene.add(Label(0.6, 0.85, "Red team", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        self._draw_round(scene, s, agent, min(int(s.turn), rounds - 1))
        first, columns = max(0, min(s.turn + 1, rounds) - COLUMNS), min(rounds, COLUMNS)
        for column in range(columns):
            self._draw_column(scene, s, agent, first + column, 0.5 + 19 * column / columns, 19 / columns - 0.12)
        lines, past = [], range(s.turn)
        for k, (name, color) in enumerate((("attacker", "bad"), ("defender", "blue"))):
            if agent in (None, k):
                pays = [pay(s.params.payoff, k, s.seeds[t], s.truths[t], s.answers[t]) for t in past]
                lines.append((np.cumsum(pays).tolist(), color, name))
        ends = (min([-2.0, *(min(line[0], default=0) for line in lines)]),
                max([2.0, *(max(line[0], default=0) for line in lines)]))  # fmt: skip
        plots.curves(scene, (0.5, 10.1, 19, 3.9), "earned", lines, rounds, ends, [(0.0, "0")])
        return scene

    def _draw_round(self, scene: Scene, s: Any, agent: int | None, t: int) -> None:
        """A round's seed and prompt and the last answer as cards; what the agent does not know is a question mark."""
        over = t < s.turn
        written = s.truths[t] != NONE
        seed = int(s.seeds[t]) if agent != DEFENDER else NONE
        truth = int(s.truths[t]) if written and (agent is None or over) else NONE
        self._draw_card(scene, 0.5, 4.2, "seed", KINDS[seed] if seed != NONE else "?", seed)
        self._draw_card(scene, 5.6, 8.8, "prompt", KINDS[truth] if truth != NONE else "?", truth)
        if written:
            effort = f" {s.efforts[t]}" if agent != DEFENDER and s.efforts[t] else ""
            style = TACTICS[s.tactics[t]] + effort
            if agent != DEFENDER and s.meant[t] != NONE and (agent == ATTACKER or s.meant[t] != s.truths[t]):
                style += f", meant {KINDS[s.meant[t]]}"
            scene.add(Label(10.0, 3.75, style, 0.46, "ink", width=8.4))
            known = agent != ATTACKER or over
            count = s.params.signs
            pace = min(0.95, 8.2 / count)
            for k in range(count):
                x, y = 10.0 + pace * (k - (count - 1) / 2), 4.75
                on = known and k < s.shown[t]
                mark, color = ("!", "black") if on else ("", "muted") if known else ("?", "muted")
                scene.add(Polygon(_triangle(x, y, 0.42 * pace), "gold" if on else "line", "muted", glyph=mark or "."))
                scene.add(Label(x, y + 0.08 * pace, mark, 0.42 * pace, color, bold=True, terminal=False))
        if s.turn == 0:
            self._draw_card(scene, 15.3, 4.2, "answer", "?", NONE)
        else:
            answer = int(s.answers[s.turn - 1])
            color = "good" if (s.truths[s.turn - 1] == HARMFUL) == (answer == REFUSE) else "bad"
            title = "answer" if over else f"answer to round {s.turn}"
            self._draw_card(scene, 15.3, 4.2, title, ("complied", "refused")[answer], NONE)
            scene.add(Circle(17.4, 4.4, 0.5, color, glyph=""))
            scene.add(Label(17.4, 4.4, "✓" if color == "good" else "×", 0.6, text_on(color), bold=True))
        for x in (4.9, 14.6):
            scene.add(Polygon([(x, 3.3), (x + 0.5, 3.6), (x, 3.9)], "muted"))

    def _draw_card(self, scene: Scene, left: float, width: float, title: str, words: str, kind: int) -> None:
        """A card with a title and a line of words, and an edge in the color of its kind."""
        color = COLORS[kind] if kind != NONE else "muted"
        scene.add(Rect(left, 1.5, width, 4.1, "panel", color, 0.08, radius=0.25))
        scene.add(Label(left + width / 2, 2.05, title, 0.4, "muted"))
        scene.add(Label(left + width / 2, 2.85, words, 0.62, bold=True))

    def _draw_column(self, scene: Scene, s: Any, agent: int | None, t: int, left: float, width: float) -> None:
        """A round in small: seed, truth with the number of signs, and answer."""
        middle, over = left + width / 2, t < s.turn
        scene.add(Rect(left, 6.0, width, 3.8, "panel", "gold" if t == s.turn else None, 0.07, radius=0.2))
        scene.add(Label(middle, 6.4, str(t + 1), 0.36, "muted"))
        if not over:
            return
        truth, right = int(s.truths[t]), (s.truths[t] == HARMFUL) == (s.answers[t] == REFUSE)
        if agent != DEFENDER:
            scene.add(Rect(middle - 0.5, 6.8, 1.0, 0.32, COLORS[int(s.seeds[t])], radius=0.1))
        scene.add(Rect(middle - 0.62, 7.25, 1.24, 1.2, COLORS[truth], radius=0.2))
        ink = text_on(COLORS[truth])
        scene.add(Label(middle, 7.6, ("plain", "role", "fict.", "ciph.")[s.tactics[t]], 0.36, ink))
        scene.add(Label(middle, 8.1, str(s.shown[t]), 0.45, ink, bold=True))
        scene.add(Line([(middle, 8.45), (middle, 8.7)], "muted", 0.06))
        color = "good" if right else "bad"
        scene.add(Rect(middle - 0.62, 8.7, 1.24, 0.75, color, radius=0.2))
        scene.add(Label(middle, 9.08, ("comply", "refuse")[s.answers[t]], 0.34, text_on(color)))


#: The names and colors of BENIGN and HARMFUL, and the rounds that a picture has room for.
KINDS = ("benign", "harmful")
COLORS = ("sky", "orange")
COLUMNS = 12


def _triangle(x: float, y: float, size: float) -> list[tuple[float, float]]:
    return [(x, y - size), (x + size, y + 0.75 * size), (x - size, y + 0.75 * size)]


env, raw_env, parallel_env = pettingzoo_forms(RedTeam)
