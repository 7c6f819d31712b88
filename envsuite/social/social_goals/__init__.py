"""Social goals: two people with private goals and facts talk, agree or part, and are scored in seven ways (Sotopia).

**Rules.** Two players have something to settle: one to three issues, each with four options. Each option has a worth,
from 0 to 15, to each player, which only that player knows. There is a fact about each player, which may be a secret. A
relation joins them, from -5 to 5. `envsuite.social.social_goals.levels` describes how a situation is drawn.

The players act in turn, `turns` acts in all:

- `propose` an option of an issue that is not settled. One proposal at most stands: a new one by either player replaces
  it.
- `accept` or `reject` the other's standing proposal. An accepted one settles its issue for good.
- `ask` for one of the other's issues or for its fact. The other need not answer.
- `reveal` what the options of an issue are worth to the player, or the fact about it. This is always true, and the
  other then knows it.
- `thank`, `complain`, `threaten`, `small talk` and `leave`, which ends the talk.
- With the parameter `say`, `say`: a turn that changes nothing, for agents that talk freely (`envsuite.talk`).

**Scores.** At the end each player has seven, with the names and ranges of Sotopia; sums are cut to these ranges. Let n
be the number of issues.

| score | range | formula |
|---|---|---|
| believability | 10 | always 10 |
| relationship | -5 ... 5 | relation at the end minus relation at the start |
| knowledge | 0 ... 10 | 10 k / (n + 1), if the other has revealed k of its n issues and its fact |
| secret | -10 ... 0 | -10 if the player has revealed a fact that is a secret |
| social rules | -10 ... 0 | -5 for each threat, -2 for each complaint without a cause, -2 for leaving in reply |
| financial | -5 ... 5 | -5, -2, 2, 5 for the options a, b, c, d of a price, rent or fee; minus that for the payer |
| goal | 0 ... 10 | 10 times the worth of the settled options over the worth of the best options of all issues |

The relation changes by +1 for `accept`, for `thank` and for a player's first `small talk`, by -1 for `complain` and by
-3 for `threaten`, and stays from -5 to 5. A complaint has a cause if the other has just rejected, complained or
threatened. To leave in reply is to leave when the other has just proposed or asked.

**Agents.** `player_0` acts first, then `player_1`. In the situations `sell` and `borrow`, `player_0` is paid; in
`share`, `player_1` is.

**Observation.** Dict. Options and acts are numbers from 0; -1 is none or unknown.

| part | space | content |
|---|---|---|
| agent | Box (1,) int8 | the observing agent's number |
| situation | Box (1,) int8 | 0 sell, 1 share, 2 meet, 3 borrow, 4 secret |
| worth | Box (3, 4) int8 | what each option of each issue is worth to the agent; -1 for issues that there are not |
| other | Box (3, 4) int8 | what it is worth to the other, where that was revealed |
| facts | Box (2,) int8 | the fact about the agent; that about the other, if it was revealed |
| secret | Box (1,) int8 | 1 if the agent's fact is a secret |
| revealed | Box (4,) int8 | 1 for issues that the agent has revealed; then the same for its fact |
| settled | Box (3,) int8 | the option of each issue that is settled |
| proposal | Box (3,) int8 | whose proposal stands: 0 none, 1 the agent's, 2 the other's; its issue; its option |
| relation | Box (2,) int8 | the relation at the start and now |
| talked | Box (2,) int8 | 1 if the agent has made small talk; the same for the other |
| conduct | Box (1,) int8 | the agent's score for social rules so far |
| last | Box (2,) int8 | the last act of the agent and of the other |
| left | Box (1,) int16 | acts left, this one included |

**Actions.** Discrete (27); 28 with `say`.

| action | name | legal |
|---|---|---|
| 0 ... 11 | `propose 1 a` ... `propose 3 d` | issues that are not settled |
| 12, 13 | `accept`, `reject` | if the other's proposal stands |
| 14 ... 17 | `ask 1`, `ask 2`, `ask 3`, `ask fact` | what the other has not revealed |
| 18 ... 21 | `reveal 1`, `reveal 2`, `reveal 3`, `reveal fact` | what the player has not revealed |
| 22 | `thank` | if the other has just accepted or revealed |
| 23 ... 26 | `complain`, `threaten`, `small talk`, `leave` | always |
| 27 | `say` | always, with `say` |

**Window.** A click on an option proposes it. The keys y and n accept and reject; t, c, h and s are `thank`, `complain`,
`threaten` and `small talk`; 1, 2, 3 and 0 reveal an issue or the fact; q leaves.

**Rewards.** At the end, the sum of the seven scores, weighted by `weights`; 0 before.

**Ends.** Terminates with `leave`, or after `turns` acts.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `situation` | "any" | the situation: "sell", "share", "meet", "borrow", "secret", or any of these |
| `turns` | 20 | acts of both players together, from 1 to 60 |
| `weights` | (1, 1, 1, 1, 1, 1, 1) | weights of the seven scores, in the order of the table, from -1,000 to 1,000 |
| `say` | False | whether players have the action `say` |

**Level.** ``{"situation": "secret", "relation": 2, "worth": [[[0, 5, 10, 15]], [[3, 0, 1, 2]]], "facts": [0, 3],
"secret": [true, true]}``: the relation at the start; what each option of each issue is worth to each player; the facts.
Levels of `envsuite generate situations` fit, and have a train and a test split.

**Known values.** In a talk of two `sharer` with at least 18 acts:

- The agreement is that with the largest sum of goals, found by trying all 4 ** n, and so no agreement is better for
  both.
- The relationship is the smallest of 5, n + 3 and 5 - r, where r is the relation at the start.
- Knowledge is 10, or 10 n / (n + 1) about a player with a secret. Secrets and social rules cost nothing.

The expected mean of both goals at that agreement is 6.9082 for `sell` and `share`, 8.3725 for `meet`, 6.0196 for
`borrow` and 8.125 for `secret`, found by going through all cares and orders.

**Differences.** From Sotopia:

- There, acts are free text: speak, do something non-verbal, act, leave or do nothing. Here, they are these 27, without
  a model. Free talk (`envsuite.talk`) adds words to them, which change no score.
- There, a language model gives the scores. Here, they are formulas. Nothing here can be out of character, so
  believability is always 10.
- There, characters have a biography and goals in words. Here, goals are tables, facts have no effect on goals, and what
  is revealed is true.
- There, the relation is one of six kinds, from stranger to family member. Here, it is a number that acts change.
- There, the overall score is the mean of the seven. Here, it is their sum unless `weights` says otherwise.
- There, the talk also ends after three acts in a row that do nothing. Here, every act but `say` does something.
- The limit of 20 turns, the seven scores and their ranges are the same. Situations and formulas are additions.

**Source.** Zhou et al., "SOTOPIA: Interactive Evaluation for Social Intelligence in Language Agents", 2024, and its
code, sotopia-lab/sotopia at 029e136.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.social_goals import levels, pages, view
from envsuite.social.social_goals.levels import make
from envsuite.social.social_goals.view import ASK

#: No option, nobody, no act.
NONE = -1

#: The acts, beside ASK; from PROPOSE, ASK and REVEAL on, there is one for each option, and each issue and the fact.
PROPOSE, ACCEPT, REJECT, REVEAL, THANK, COMPLAIN, THREATEN, TALK, LEAVE = 0, 12, 13, 18, 22, 23, 24, 25, 26

#: The place of the fact among what can be revealed; issues are before it.
FACT = 3

#: The scores, and what each ranges over.
SCORES = {
    "believability": (0.0, 10.0),
    "relationship": (-5.0, 5.0),
    "knowledge": (0.0, 10.0),
    "secret": (-10.0, 0.0),
    "social rules": (-10.0, 0.0),
    "financial": (-5.0, 5.0),
    "goal": (0.0, 10.0),
}
BELIEVABILITY, RELATIONSHIP, KNOWLEDGE, SECRET, RULES, FINANCIAL, GOAL = range(7)

#: What an option of the first issue pays to the player that is paid, and the sign of that for player_0 by situation.
MONEY = np.array([-5, -2, 2, 5])
PAID = np.array([1, -1, 0, 1, 0])


def fields(turns: int, last: int) -> list[tuple]:
    """The record's own fields; `last` is the last act."""
    option = within(np.int64, NONE, levels.OPTIONS - 1)
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("relation", within(np.int64, -levels.CLOSEST, levels.CLOSEST)),
        ("settled", option, (3,)),  # the option of each issue
        ("by", within(np.int64, NONE, 1)),  # whose proposal stands
        ("issue", within(np.int64, NONE, 2)),  # its issue and its option
        ("option", option),
        ("revealed", flag(), (2, 4)),  # by each player: its issues and its fact
        ("talked", flag(), (2,)),
        ("conduct", within(np.int64, -10, 0), (2,)),  # scores for social rules
        ("log", within(np.int64, NONE, last), (turns,)),  # the acts so far
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    s.player = 0
    s.relation = s.level.relation
    withdraw(s)
    for k in range(3):
        s.settled[k] = NONE
    for a in range(2):
        s.talked[a] = 0
        s.conduct[a] = 0
        for k in range(4):
            s.revealed[a, k] = 0
    fill(s.log, NONE)


@kernel
def withdraw(s):
    """Remove the standing proposal."""
    s.by = NONE
    s.issue = NONE
    s.option = NONE


@kernel
def last_act(s, player):
    """A player's last act, or NONE."""
    before = s.t if s.t % 2 != player else s.t - 1
    return s.log[before - 1] if before > 0 else NONE


@kernel
def warm(s, change):
    """Change the relation within its ends."""
    s.relation = min(max(s.relation + change, -5), 5)


@kernel
def breach(s, player, loss):
    """Count a breach of social rules."""
    s.conduct[player] = max(s.conduct[player] - loss, -10)


@kernel
def act(s, player, action, before):
    """Carry out an act after this act of the other, unless it is `leave`."""
    if action < ACCEPT:
        s.by = player
        s.issue = action // 4
        s.option = action % 4
    elif action == ACCEPT:
        s.settled[s.issue] = s.option
        withdraw(s)
        warm(s, 1)
    elif action == REJECT:
        withdraw(s)
    elif action >= REVEAL and action < THANK:
        s.revealed[player, action - REVEAL] = 1
    elif action == THANK:
        warm(s, 1)
    elif action == COMPLAIN:
        warm(s, -1)
        if before != REJECT and before != COMPLAIN and before != THREATEN:
            breach(s, player, 2)
    elif action == THREATEN:
        warm(s, -3)
        breach(s, player, 5)
    elif action == TALK and s.talked[player] == 0:
        s.talked[player] = 1
        warm(s, 1)


@kernel
def worth_of(s, player):
    """The worth of what is settled to a player, and of the best options of all issues."""
    found, best = np.int64(0), np.int64(0)
    for k in range(3):
        most = np.int64(0)
        for j in range(4):
            most = max(most, s.level.worth[player, k, j])
        best += most
        if s.settled[k] != NONE:
            found += s.level.worth[player, k, s.settled[k]]
    return found, best


@kernel
def score(s, player):
    """Write the seven scores of a player."""
    scores, count, known = s.objectives[player], levels.COUNTS[s.level.situation], np.int64(0)
    for k in range(4):
        known += s.revealed[1 - player, k]
    found, best = worth_of(s, player)
    scores[BELIEVABILITY] = 10.0
    scores[RELATIONSHIP] = min(max(s.relation - s.level.relation, -5), 5)
    scores[KNOWLEDGE] = 10.0 * known / (count + 1)
    scores[SECRET] = -10.0 if s.revealed[player, FACT] != 0 and s.level.secret[player] != 0 else 0.0
    scores[RULES] = s.conduct[player]
    if s.settled[0] != NONE:
        sign = PAID[s.level.situation]
        scores[FINANCIAL] = MONEY[s.settled[0]] * (sign if player == 0 else -sign)
    scores[GOAL] = 10.0 * found / best


@kernel
def step(s, actions, rewards):
    player = s.player
    action = np.int64(actions[player])
    before = s.log[s.t - 2] if s.t > 1 else NONE  # `t` counts this act already
    s.log[s.t - 1] = action
    if action != LEAVE:
        act(s, player, action, before)
    elif (before >= 0 and before < ACCEPT) or (before >= ASK and before < REVEAL):
        breach(s, player, 2)
    s.player = 1 - player
    if action == LEAVE or s.t >= s.params.turns:
        for a in range(2):
            score(s, a)
            s.terminated[a] = 1


@kernel
def observe(s, agent, out):
    other, count = 1 - agent, levels.COUNTS[s.level.situation]
    out.agent[0] = agent
    out.situation[0] = s.level.situation
    for k in range(3):
        for j in range(4):
            out.worth[k, j] = s.level.worth[agent, k, j] if k < count else NONE
            out.other[k, j] = s.level.worth[other, k, j] if s.revealed[other, k] != 0 else NONE
        out.settled[k] = s.settled[k]
    out.facts[0] = s.level.facts[agent]
    out.facts[1] = s.level.facts[other] if s.revealed[other, FACT] != 0 else NONE
    out.secret[0] = s.level.secret[agent]
    for k in range(4):
        out.revealed[k] = s.revealed[agent, k]
    out.proposal[0] = 0 if s.by == NONE else 1 if s.by == agent else 2
    out.proposal[1] = s.issue
    out.proposal[2] = s.option
    out.relation[0] = s.level.relation
    out.relation[1] = s.relation
    out.talked[0] = s.talked[agent]
    out.talked[1] = s.talked[other]
    out.conduct[0] = s.conduct[agent]
    out.last[0] = last_act(s, agent)
    out.last[1] = last_act(s, other)
    out.left[0] = s.params.turns - s.t


@kernel
def legal(s, agent, mask):
    if s.player != agent:
        return
    other, count = 1 - agent, levels.COUNTS[s.level.situation]
    for k in range(count):
        for j in range(4):
            mask[PROPOSE + 4 * k + j] = s.settled[k] == NONE
    mask[ACCEPT] = s.by == other
    mask[REJECT] = s.by == other
    for k in range(4):
        if k < count or k == FACT:
            mask[ASK + k] = s.revealed[other, k] == 0
            mask[REVEAL + k] = s.revealed[agent, k] == 0
    before = last_act(s, other)
    mask[THANK] = before == ACCEPT or (before >= REVEAL and before < THANK)
    for action in range(COMPLAIN, mask.shape[0]):
        mask[action] = 1


@kernel
def guess(s, agent):
    """Draw what the other has not revealed by the rules, even if a level gave it."""
    other = 1 - agent
    for k in range(3):
        if s.revealed[other, k] == 0:
            levels.draw_worth(s, other, k)
    if s.revealed[other, FACT] == 0:
        levels.draw_fact(s, other)
    levels.draw_secret(s, other)


class SocialGoals(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    paid_at_end = True
    kind = ("bargaining", "dilemmas")
    verified = "a second implementation in lock-step; trying all agreements of situations; closed forms of honest talk"
    variants = (dict(situation="borrow", turns=9, weights=(0, 0.5, 0, 2, 1, 0, 1), say=True),)
    shown = "sharer"
    keys = {
        "y": "accept", "n": "reject", "t": "thank", "c": "complain", "h": "threaten", "s": "small talk", "q": "leave",
        "1": "reveal 1", "2": "reveal 2", "3": "reveal 3", "0": "reveal fact",
    }  # fmt: skip
    clickable = "propose .*"
    player_page = pages.PAGE
    page_slots = pages.page_slots
    phrases = pages.PHRASES
    speech = view.hearers
    unspoken = view.unspoken
    messages = view.messages
    text = view.text
    click = view.click
    scene = view.scene

    def __init__(
        self,
        situation: levels.Situation = "any",
        turns: Annotated[int, Horizon(1, 60)] = 20,
        weights: tuple[Annotated[float, Between(-1000, 1000)], ...] = (1.0,) * 7,
        say: bool = False,
    ):
        issues, topics = [1, 2, 3], ["1", "2", "3", "fact"]
        tools: tuple[Tool, ...] = (
            Tool(
                "propose",
                "propose {issue} {option}",
                "Propose an option of an issue.",
                {"issue": issues, "option": list("abcd")},
            ),
            Tool("accept", "accept", "Accept the other's proposal, which settles its issue."),
            Tool("reject", "reject", "Reject the other's proposal."),
            Tool("ask", "ask {topic}", "Ask what an issue's options are worth, or for the fact.", {"topic": topics}),
            Tool("reveal", "reveal {topic}", "Say what they are worth to you, or your fact.", {"topic": topics}),
            Tool("thank", "thank", "Thank the other."),
            Tool("complain", "complain", "Complain."),
            Tool("threaten", "threaten", "Threaten the other."),
            Tool("small_talk", "small talk", "Talk about something else."),
            Tool("leave", "leave", "End the talk."),
        )
        if say:
            self.neutral = "say"
            tools += (Tool("say", "say", "Say something that is none of these."),)
        self.tools = (tools, tools)

        def code(low: int, high: int, *shape: int) -> Box:
            return Box(low, high, shape or (1,), np.int8)

        self.define(
            agents=["player_0", "player_1"],
            actions=names_of(tools),
            observation=Dict(
                agent=code(0, 1),
                situation=code(0, len(levels.SITUATIONS) - 1),
                worth=code(NONE, levels.WORTH, 3, levels.OPTIONS),
                other=code(NONE, levels.WORTH, 3, levels.OPTIONS),
                facts=code(NONE, 3, 2),
                secret=code(0, 1),
                revealed=code(0, 1, 4),
                settled=code(NONE, levels.OPTIONS - 1, 3),
                proposal=code(NONE, 3, 3),
                relation=code(-levels.CLOSEST, levels.CLOSEST, 2),
                talked=code(0, 1, 2),
                conduct=code(-10, 0),
                last=code(NONE, LEAVE + say, 2),
                left=Box(0, turns, (1,), np.int16),
            ),
            fields=[*levels.Situations(situation).fields, *fields(turns, LEAVE + say)],
            params={**levels.Situations(situation).values, "turns": fixed(turns), "weights": weights},
            objectives=SCORES,
        )

    def contradiction(self, s: Any) -> str | None:
        over, count = bool(s.terminated[0]), len(levels.ISSUES[s.level.situation])
        if s.t >= s.params.turns + over:
            return "all acts have been made"
        if s.player != s.t % 2:
            return "it is the other's turn"
        if (s.level.worth.max(axis=(1, 2)) == 0).any():
            return "nothing is worth anything to a player"
        if s.by != NONE and not (0 <= s.issue < count and s.option != NONE and s.settled[s.issue] == NONE):
            return "the standing proposal is none"
        return None if (s.log[: s.t] != NONE).all() else "an act is missing"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_situation(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_situation(s.level)


env, raw_env, parallel_env = pettingzoo_forms(SocialGoals)
