"""Voting: polls, then ballots; a voter may vote against its own ranking to get a better winner.

**Rules.** Every voter ranks the candidates A, B, C, ... from best to worst. `profile` decides how rankings are drawn:

- `impartial`: all rankings are equally likely, for each voter separately.
- `spatial`: voters and candidates are points of a unit square, uniform; a voter prefers nearer candidates.

The voters first take part in `polls`, then vote. In a poll, all say at once how they would vote, true or not. After it,
all see its result: what each candidate would get. The last vote counts. `rule` decides the ballots and the winner:

| `rule` | ballot | winner |
|---|---|---|
| `plurality` | a candidate | most votes |
| `runoff` | a ranking | the two candidates with most first places meet; the one that more ballots prefer wins |
| `borda` | a ranking | most points: of m candidates, the first of a ballot gets m - 1, the last 0 |
| `approval` | a set of candidates, neither none nor all | most ballots |
| `condorcet` | a ranking | the candidate that beats every other in a majority of ballots; without one, `borda` |

Ties are broken by an order of the candidates that is drawn for the election. Nobody sees it before the end.

**Agents.** `voter_0` ... `voter_{voters-1}`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| ranking | Box (candidates,) int8 | the agent's ranking: the numbers of the candidates, best first |
| rule | Box (1,) int8 | 0 plurality, 1 runoff, 2 borda, 3 approval, 4 condorcet |
| left | Box (1,) int8 | polls left; 0 for the vote, -1 after it |
| tally | Box (candidates,) int32 | result of the last poll or vote, see below; -1 before the first |
| beats | Box (candidates, candidates) int16 | its ballots that prefer one candidate (row) to another (column) |
| winner | Box (1,) int8 | the winner of the vote; -1 before |

`tally` has votes for `plurality` and `approval`, first places for `runoff`, and points for `borda` and `condorcet`.
`beats` is 0 for `plurality` and `approval`.

**Actions.** Discrete: the ballots.

| action | name |
|---|---|
| k | with `plurality`: `A`, `B`, `C`, ... |
| k | with `approval`: `A`, `B`, `A+B`, `C`, `A+C`, ...: the candidates are the bits of k + 1 |
| k | with other rules: `A>B>C`, `A>C>B`, ...: the rankings in alphabetical order |

**Window.** The keys a to e name the first ballots that are a candidate alone, or begin with it.

**Rewards.** At the vote: 1 if the voter's best candidate wins, 0 if its worst does, and in between by rank, (m - 1 -
place) / (m - 1) for m candidates. Polls pay nothing.

**Ends.** Terminates with the vote.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `voters` | 5 | number of voters, from 1 to 51 |
| `candidates` | 3 | number of candidates, from 2 to 5 |
| `rule` | "plurality" | ballots and winner, see above |
| `polls` | 2 | polls before the vote, from 0 to 10 |
| `profile` | "impartial" | how rankings are drawn, see above |

**Level.** ``{"rankings": ["ABC", "BCA", "CAB", "ABC", "CBA"], "ties": "BCA"}``: the ranking of each voter, and the
order in which ties are broken. The order is drawn if `ties` is left out.

**Known values.**

- Of the 216 profiles of 3 voters and 3 candidates, 12 have no candidate that beats all others; of the 7776 of 5 voters,
  540 (the paradox of Condorcet, 1785).
- With two candidates, all rules elect the majority's choice, and a true ballot is dominant (May, 1952).
- With three candidates or more, every rule can be manipulated (Gibbard, 1973; Satterthwaite, 1975): in some profiles a
  voter gains by a ballot that is not true. `strategic` voters look for such ballots in the last poll.

**Differences.** None: textbook rules. Ties are broken by lot once for the election; other texts break them by a fixed
order.

**Source.** Brandt, Conitzer, Endriss, Lang and Procaccia (eds.), "Handbook of Computational Social Choice", 2016;
Black, "The Theory of Committees and Elections", 1958, for `condorcet`; Meir et al., "Convergence to Equilibria in
Plurality Voting", 2010, for answers to polls.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_list
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene
from envsuite.render.theme import agent_color, text_on

LETTERS = "ABCDE"

RULES = ("plurality", "runoff", "borda", "approval", "condorcet")
PLURALITY, RUNOFF, BORDA, APPROVAL, CONDORCET = range(5)

IMPARTIAL, SPATIAL = range(2)

#: The largest numbers of voters and candidates.
MOST_VOTERS, MOST = 51, 5

#: RANKINGS[m, r, place] is a candidate: the rankings r of m candidates in alphabetical order; 0 for the rest.
RANKINGS = np.zeros((MOST + 1, 120, MOST), np.int64)
for _m in range(1, MOST + 1):
    _all = list(itertools.permutations(range(_m)))
    RANKINGS[_m, : len(_all), :_m] = _all


def fields(voters: int, candidates: int, polls: int) -> list[tuple]:
    """The record's own fields."""
    most = voters * max(candidates - 1, 1)
    return [
        ("left", within(np.int64, -1, polls)),  # polls left; 0 for the vote, -1 after it
        ("rankings", below(np.int8, candidates), (voters, candidates)),  # candidates, best first: the level
        ("ties", below(np.int8, candidates), (candidates,)),  # the order that breaks ties: the level
        ("ties_given", flag()),  # whether the level has `ties`
        ("ballots", within(np.int16, -1, 119), (voters,)),  # of the last poll or vote; -1 before the first
        ("tally", within(np.int64, -1, most), (candidates,)),  # its result; -1 before the first
        ("beats", within(np.int64, 0, voters), (candidates, candidates)),  # ballots that prefer row to column
        ("winner", within(np.int64, -1, candidates - 1)),  # of the vote
        ("points", within(np.float64, 0, 1), (voters + candidates, 2)),  # scratch of draws
        ("far", within(np.float64, 0, 2), (candidates,)),  # scratch of draws
    ]


@kernel
def reset(s):
    voters, candidates = s.rankings.shape
    if s.level_given == 0:
        for v in range(voters):
            for k in range(candidates):
                s.rankings[v, k] = k
        if s.params.profile == SPATIAL:
            draw_points(s)
        else:
            for v in range(voters):
                random.shuffle(s, s.rankings[v], candidates)
    if s.level_given == 0 or s.ties_given == 0:
        for k in range(candidates):
            s.ties[k] = k
        random.shuffle(s, s.ties, candidates)
    fill(s.ballots, -1)
    for k in range(candidates):
        s.tally[k] = -1
        for j in range(candidates):
            s.beats[k, j] = 0
    s.left = s.params.polls
    s.winner = -1


@kernel
def draw_points(s):
    """Draw voters and candidates in the unit square, and each voter's ranking by distance."""
    voters, candidates = s.rankings.shape
    for k in range(voters + candidates):
        s.points[k, 0] = random.uniform(s)
        s.points[k, 1] = random.uniform(s)
    for v in range(voters):
        for k in range(candidates):
            across = s.points[v, 0] - s.points[voters + k, 0]
            down = s.points[v, 1] - s.points[voters + k, 1]
            s.far[k] = across * across + down * down
            place = k
            while place > 0 and s.far[s.rankings[v, place - 1]] > s.far[k]:
                s.rankings[v, place] = s.rankings[v, place - 1]
                place -= 1
            s.rankings[v, place] = k


@kernel
def add_ballot(rule, ballot, tally, beats, sign):
    """Add a ballot to a result, or take it away with the sign -1."""
    candidates = tally.shape[0]
    if rule == PLURALITY:
        tally[ballot] += sign
    elif rule == APPROVAL:
        for k in range(candidates):
            tally[k] += sign * ((ballot + 1) >> k & 1)
    else:
        for place in range(candidates):
            k = RANKINGS[candidates, ballot, place]
            if rule != RUNOFF:
                tally[k] += sign * (candidates - 1 - place)
            elif place == 0:
                tally[k] += sign
            for later in range(place + 1, candidates):
                beats[k, RANKINGS[candidates, ballot, later]] += sign


@kernel
def first_of(tally, ties, but):
    """The candidate with the largest tally except one; the earlier in the order `ties` if there are several."""
    found = -1
    for k in range(tally.shape[0]):
        candidate = np.int64(ties[k])
        if candidate != but and (found < 0 or tally[candidate] > tally[found]):
            found = candidate
    return found


@kernel
def beats_all(beats, candidate):
    """Whether a candidate beats every other in more ballots than not."""
    for other in range(beats.shape[0]):
        if other != candidate and beats[candidate, other] <= beats[other, candidate]:
            return False
    return True


@kernel
def elected(rule, tally, beats, ties):
    """The winner of a vote with this result."""
    first = first_of(tally, ties, -1)
    if rule == RUNOFF:
        second = first_of(tally, ties, first)
        for k in range(ties.shape[0]):
            candidate = np.int64(ties[k])
            if candidate == first or candidate == second:
                other = second if candidate == first else first
                return candidate if beats[candidate, other] >= beats[other, candidate] else other
    if rule == CONDORCET:
        for candidate in range(tally.shape[0]):
            if beats_all(beats, candidate):
                return candidate
    return first


@kernel
def step(s, actions, rewards):
    voters, candidates = s.rankings.shape
    for k in range(candidates):
        s.tally[k] = 0
        for j in range(candidates):
            s.beats[k, j] = 0
    for v in range(voters):
        s.ballots[v] = actions[v]
        add_ballot(s.params.rule, actions[v], s.tally, s.beats, 1)
    s.left -= 1
    if s.left >= 0:
        return
    s.winner = elected(s.params.rule, s.tally, s.beats, s.ties)
    for v in range(voters):
        s.terminated[v] = 1
        for place in range(candidates):
            if s.rankings[v, place] == s.winner:
                rewards[v] = (candidates - 1 - place) / (candidates - 1)


@kernel
def observe(s, agent, out):
    out.rule[0] = s.params.rule
    out.left[0] = s.left
    out.winner[0] = s.winner
    for k in range(s.tally.shape[0]):
        out.ranking[k] = s.rankings[agent, k]
        out.tally[k] = s.tally[k]
        for j in range(s.tally.shape[0]):
            out.beats[k, j] = s.beats[k, j]


def ballots(rule: str, candidates: int) -> list[str]:
    """The names of all ballots."""
    letters = LETTERS[:candidates]
    if rule == "plurality":
        return list(letters)
    if rule == "approval":
        sets = range(1, 2**candidates - 1)
        return ["+".join(letter for k, letter in enumerate(letters) if bits >> k & 1) for bits in sets]
    return [">".join(order) for order in itertools.permutations(letters)]


PAGE = Page(
    role=When("rivals", "You are one of {voters} voters in an election.", "You are the only voter in an election."),
    goal=(
        "You are paid once, for the winner: 1 if it is the best candidate of your ranking, 0 if it is the worst, and "
        "in between in equal steps by its place. Polls pay nothing."
    ),
    rules=(
        (
            When("rivals", "Each of you has", "You have"),
            "a ranking of the candidates {letters}, from best to worst.",
            Case(
                "profile",
                {
                    "impartial": "All rankings are equally likely, for each voter separately.",
                    "spatial": (
                        "Voters and candidates are random points of a square, and a voter prefers nearer candidates."
                    ),
                },
            ),
        ),
        (
            When(
                "polls",
                "First, {polls:poll is/polls are} held, in which all say at once how they would vote, true or not; "
                "after each, all see the result. Then you vote.",
                When("rivals", "You all vote at once.", "You vote once."),
            ),
            Case(
                "rule",
                {
                    "plurality": "A ballot is a candidate, and the candidate with the most votes wins.",
                    "runoff": (
                        "A ballot is a ranking. The two candidates with the most first places meet, and the one that "
                        "more ballots prefer wins."
                    ),
                    "borda": (
                        "A ballot is a ranking. It gives {most:point} to its first candidate, one point less to each "
                        "next one, and none to the last. The candidate with the most points wins."
                    ),
                    "approval": (
                        "A ballot is a set of candidates, neither none nor all. The candidate on the most ballots wins."
                    ),
                    "condorcet": (
                        "A ballot is a ranking. A candidate that beats every other one on more than half of the "
                        "ballots wins. If there is none, a ballot gives {most:point} to its first candidate, one "
                        "point less to each next one, and none to the last, and the candidate with the most points "
                        "wins."
                    ),
                },
            ),
            "Ties are broken by an order of the candidates that is drawn for the election and that nobody knows.",
        ),
    ),
    sees="You see your own ranking and no other one.",
    acts={
        "{CANDIDATE}": Case("rule", {"plurality": "a ballot for this candidate"}),
        "{SET}": Case("rule", {"approval": "a ballot for all candidates in this set"}),
        "{RANKING}": Case(
            "rule", dict.fromkeys(("runoff", "borda", "condorcet"), "a ballot with this ranking, best first")
        ),
    },
    ends="It is over after the vote.",
    unsaid={"candidates": "told by their letters"},
    constants={
        "1": "the best winner",
        "0": "the worst winner",
        "two": "candidates of a runoff",
        "half": "of the ballots",
    },
)


#: What policies say beside their answers to a poll. Only sums of these are shown, so no sentence tells a ballot.
PHRASES = {
    "{}": (
        "I have given the poll my answer.",
        "Let us see how many think like me.",
        "You will see the result in a moment.",
        "My answer is in the count.",
        "I am curious what the others say.",
    ),
}


class Voting(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    paid_at_end = True
    masked = False
    kind = ("opinions",)
    verified = "textbook rules written again from definitions; all profiles of small elections counted"
    variants = (
        dict(voters=3, candidates=4, rule="runoff", polls=1, profile="spatial"),
        dict(voters=4, rule="approval", polls=0),
        dict(voters=7, candidates=3, rule="condorcet", polls=3),
        dict(voters=2, candidates=2, rule="borda"),
    )
    shown = "strategic"
    player_page = PAGE
    phrases = PHRASES

    def __init__(
        self,
        voters: Annotated[int, Between(1, MOST_VOTERS)] = 5,
        candidates: Annotated[int, Between(2, MOST)] = 3,
        rule: Literal["plurality", "runoff", "borda", "approval", "condorcet"] = "plurality",
        polls: Annotated[int, Between(0, 10)] = 2,
        profile: Literal["impartial", "spatial"] = "impartial",
    ):
        names = ballots(rule, candidates)
        self.keys = {
            letter.lower(): next(name for name in names if name.startswith(letter)) for letter in LETTERS[:candidates]
        }
        most = voters * (candidates - 1)
        self.define(
            agents=[f"voter_{k}" for k in range(voters)],
            actions=names,
            observation=Dict(
                ranking=Box(0, candidates - 1, (candidates,), np.int8),
                rule=Box(0, len(RULES) - 1, (1,), np.int8),
                left=Box(-1, polls, (1,), np.int8),
                tally=Box(-1, most, (candidates,), np.int32),
                beats=Box(0, voters, (candidates, candidates), np.int16),
                winner=Box(-1, candidates - 1, (1,), np.int8),
            ),
            fields=fields(voters, candidates, polls),
            params={
                "rule": among(RULES, rule),
                "polls": fixed(polls),
                "profile": among(("impartial", "spatial"), profile),
            },
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        count = len(s.ties)
        return {"rivals": len(self.agents) - 1, "letters": list(LETTERS[:count]), "most": count - 1}

    def contradiction(self, s: Any) -> str | None:
        if (s.left < 0) != bool(s.terminated[0]):
            return "the vote is over"
        candidates = np.arange(len(s.ties))
        if (np.sort(s.ties) != candidates).any() or (np.sort(s.rankings, axis=1) != candidates).any():
            return "a ranking is no order of the candidates"
        return "a ballot is none of the rule" if s.ballots.max() >= self.num_actions else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "rankings", optional=["ties"])
        rankings = read_list(level["rankings"], f"{self.id}: the level's rankings", len(self.agents))
        s.rankings[:] = [self._order(s, f"the ranking of voter_{k}", words) for k, words in enumerate(rankings)]
        s.ties_given = "ties" in level
        if "ties" in level:
            s.ties[:] = self._order(s, "'ties'", level["ties"])

    def _order(self, s: Any, what: str, words: Any) -> list[int]:
        letters = LETTERS[: len(s.ties)]
        if not isinstance(words, str) or sorted(words) != list(letters):
            raise LevelError(f"{self.id}: {what}, {words!r:.40}, must have each of the letters {letters} once")
        return [letters.index(letter) for letter in words]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"rankings": [in_letters(row) for row in s.rankings], "ties": in_letters(s.ties)}

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """All voters hear words in a poll; of the ballot that they go with, they see the sum. The vote is silent."""
        return range(len(self.agents)) if s.left > 0 and len(self.agents) > 1 else None

    # Text.

    def text(self, s: Any, agent: int) -> str:
        letters = LETTERS[: len(s.ties)]
        order = in_letters(s.rankings[agent])
        lines = [f"You rank the candidates {' > '.join(order)}."]
        if s.ballots[agent] >= 0:
            kind = "vote" if s.left < 0 else "poll"
            lines.append(f"In the last {kind} you said {self.action_names[agent][s.ballots[agent]]}. {self.result(s)}")
        if s.left < 0:
            place = order.index(letters[s.winner]) + 1
            return "\n".join([*lines, f"{letters[s.winner]} wins, number {place} of your ranking."])
        number = s.params.polls - s.left + 1
        now = f"Poll {number} of {s.params.polls}" if s.left else "The vote"
        return "\n".join([*lines, f"{now}."])

    def result(self, s: Any) -> str:
        """The last result in words."""
        what = {APPROVAL: "approvals", RUNOFF: "first places", PLURALITY: "votes"}.get(int(s.params.rule), "points")
        counts = ", ".join(f"{LETTERS[k]} {n}" for k, n in enumerate(s.tally.tolist()))
        if s.params.rule in (PLURALITY, APPROVAL):
            return f"Result in {what}: {counts}."
        pairs = itertools.combinations(range(len(s.ties)), 2)
        duels = ", ".join(f"{LETTERS[j]}:{LETTERS[k]} {s.beats[j, k]}:{s.beats[k, j]}" for j, k in pairs)
        return f"Result in {what}: {counts}. In pairs: {duels}."

    # The picture: the rankings as columns of colored letters, and the last result.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        voters, candidates = s.rankings.shape
        scene = Scene(20, 12.6)
        moment = "over" if s.left < 0 else "the vote" if s.left == 0 else f"poll {s.params.polls - s.left + 1}"
        rule = RULES[s.params.rule]
        scene.add(Label(0.6, 0.85, f"Voting · {rule}", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        pace = min(1.9, 18.4 / voters)
        tall = min(0.9, 4.0 / candidates)
        scene.add(Rect(0.5, 1.5, 19, 5.6, "panel", radius=0.25))
        for v in range(voters):
            x = 10 + pace * (v - (voters - 1) / 2)
            color = "gold" if v == agent else "muted"
            scene.add(Label(x, 1.95, str(v), min(0.4, 0.8 * pace), color, bold=v == agent, terminal=pace > 0.6))
            for place in range(candidates):
                y = 2.35 + tall * place
                known = agent in (None, v) or s.left < 0
                self._draw_candidate(scene, int(s.rankings[v, place]) if known else -1, x, y, 0.92 * pace, tall - 0.06)
            if s.ballots[v] >= 0 and (agent in (None, v) or s.left < 0) and pace > 0.9:
                words = self.action_names[v][s.ballots[v]]
                scene.add(Label(x, 6.75, words.replace(">", ""), 0.38, "ink", width=pace))
        self._draw_result(scene, s)
        return scene

    def _draw_candidate(self, scene: Scene, candidate: int, x: float, y: float, wide: float, tall: float) -> None:
        """A candidate's tile, or a blank one for -1; (x, y) is the middle of its upper side."""
        color = agent_color(candidate) if candidate >= 0 else "line"
        scene.add(Rect(x - wide / 2, y, wide, tall, color, radius=0.1 * tall))
        if candidate >= 0:
            size = min(0.55 * tall, 0.9 * wide)
            scene.add(Label(x, y + tall / 2, LETTERS[candidate], size, text_on(color), bold=True))

    def _draw_result(self, scene: Scene, s: Any) -> None:
        """Bars of the last result, and the winner."""
        candidates = len(s.ties)
        scene.add(Rect(0.5, 7.4, 19, 4.8, "panel", radius=0.25))
        title = "no poll yet" if s.tally[0] < 0 else "result of the vote" if s.left < 0 else "result of the last poll"
        scene.add(Label(0.9, 7.85, title, 0.38, "muted", "left"))
        most = max(1, int(s.tally.max()))
        tall = 3.7 / candidates
        for k in range(candidates):
            y = 8.3 + tall * k
            self._draw_candidate(scene, k, 1.5, y + 0.06, 1.0, tall - 0.12)
            count = max(0, int(s.tally[k]))
            if count:
                scene.add(Rect(2.3, y + 0.1, 13.0 * count / most, tall - 0.2, agent_color(k), radius=0.1))
            scene.add(Label(2.6 + 13.0 * count / most, y + tall / 2, str(count), 0.45, align="left", bold=True))
            if s.winner == k:
                scene.add(Label(19.0, y + tall / 2, "wins", 0.5, "ink", "right", bold=True))


def in_letters(order: Any) -> str:
    """An order of candidates as letters."""
    return "".join(LETTERS[k] for k in order.tolist())


env, raw_env, parallel_env = pettingzoo_forms(Voting)
