"""Social deduction: what worlds of hidden roles, talk and votes share.

**Acts.** What a player may do is an *act*: plain ("silent") or aimed at a player ("accuse player_3"). A world lists its
acts once, the plain ones first; an act's number is its place in that list. An action is a plain act's number, or
`action_of(act, target, plain, players)`: for each aimed act in turn one action per player. A message holds the number
of an act of speech, counted among those only.

**Votes** are arrays with an entry per voter: whom it names, or `NOBODY`. `plurality` says who has most, with three
rules for ties. Any number that is no player's can be named as well, to skip a vote.

**Talk.** `open_talk` lines up the living in random order; `say` notes who says what; `pass_on` lets the next one speak.

**The table.** `RoundTable` is the world class: the part of the record, of the observation, the text and the picture
that worlds of eliminations around a table have in common. Its kernels expect the fields of `table_fields`. Role
`DECEIVER` is that of the minority who know each other. What agent a knows of b's role is `s.minds[a].roles[b]`; the
world's kernels write it and all else reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Space

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer
from envsuite.core.page import listed
from envsuite.core.ranges import below, flag, within
from envsuite.core.record import copied
from envsuite.core.world import World
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width
from envsuite.render.theme import agent_color, text_on

#: Who is named where nobody is.
NOBODY = -1

#: A tie in a vote goes to the one of them who was named first, in the order of voters; to any of them; or to nobody.
FIRST, RANDOM, NEITHER = range(3)
TIES = ("first", "random", "nobody")

#: The role of those who know each other; 0 is that of the many.
DECEIVER = 1

#: What policies say in free talk when they accuse or defend a player, or claim a role.
PHRASES = {
    "accuse {}": (
        "I think {0} is lying to us.",
        "Watch {0}, something is off there.",
        "I do not trust {0}.",
        "{0} has been acting strangely.",
        "My suspicion is on {0}.",
    ),
    "defend {}": (
        "I trust {0}.",
        "Leave {0} alone, they are fine.",
        "I do not think that {0} did anything wrong.",
        "{0} seems honest to me.",
        "We should look elsewhere, not at {0}.",
    ),
    "claim {}": (
        "My role is {0}.",
        "You should know what I am: {0}.",
        "I tell you openly: {0}, that is me.",
        "I can say it now, my card says {0}.",
        "For the record, I am {0}.",
    ),
}

#: What one said of another in the last talk.
NOTHING, ACCUSED, DEFENDED = range(3)


@dataclass(frozen=True)
class Act:
    """The name of an act and, of speech, what is said by it; "{}" stands for the player at whom it is aimed."""

    name: str
    said: str | None = None

    @property
    def aimed(self) -> bool:
        """Whether there is an action for each player."""
        return "{}" in self.name


def table_fields(
    players: int, days: int, utterances: int, phases: int, roles: int, spoken: int, *, skips: bool = False
) -> list[tuple]:
    """The fields of a record: at most this number of days, and of utterances a day.

    There are this number of phases, roles and acts of speech; with `skips`, a vote can name nobody, as one player more.
    """
    last = players - 1
    player, role = within(np.int8, NOBODY, last), within(np.int8, NOBODY, roles - 1)
    mind = np.dtype([("roles", role, (players,)), ("plans", player, (players,))])
    message = within(np.int8, NOBODY, np.array([last, spoken - 1, last]))
    return [
        ("phase", below(np.int64, phases)),  # number of a phase
        ("day", within(np.int64, 1, days + 1)),  # from 1
        ("speaker", within(np.int64, NOBODY, last)),  # player who speaks, or NOBODY
        ("order", within(np.int64, NOBODY, last), (players,)),  # in which the living talk, then NOBODY
        ("seated", within(np.int64, 0, players)),  # number of players who talk
        ("spoken", within(np.int64, 0, max(utterances, 1))),  # number of turns to speak that are over in this talk
        ("said", within(np.int64, 0, utterances)),  # number of messages
        ("roles", below(np.int8, roles), (players,)),  # number of a role
        ("alive", flag(np.int8), (players,)),  # 1 for the living
        ("minds", mind, (players,)),  # what each player knows: roles and plans, or NOBODY
        ("removed", player, (days,)),  # player voted out on each day, or NOBODY
        ("killed", player, (days,)),  # player killed in each night, or NOBODY
        ("votes", within(np.int8, NOBODY, last + skips), (days, players)),  # whom each named on each day, or NOBODY
        ("plans", player, (players,)),  # whom each deceiver named in this night, or NOBODY
        ("claims", role, (players,)),  # role that each player claims, or NOBODY
        ("stances", below(np.int8, 3), (players, players)),  # NOTHING, ACCUSED or DEFENDED, by speaker and target
        ("messages", message, (max(utterances, 1), 3)),  # speaker, act of speech, target
    ]


# Acts and votes: these need no particular record.


@kernel
def act_of(action, plain, players):
    """The number of an action's act."""
    return action if action < plain else plain + (action - plain) // players


@kernel
def target_of(action, plain, players):
    """Whom an action is aimed at."""
    return NOBODY if action < plain else (action - plain) % players


@kernel
def action_of(act, target, plain, players):
    """The action of an aimed act."""
    return plain + (act - plain) * players + target


def aimed_of(plain: int) -> Any:
    """The kernel of the action of an act aimed at a player, for a record or an observation with `roles`."""

    @kernel
    def aimed(table, act, target):
        return action_of(act, target, plain, table.roles.shape[0])

    return aimed


def count_plain(acts: Sequence[Act]) -> int:
    """How many of the acts are plain; they come first."""
    return sum(not act.aimed for act in acts)


def act_names(acts: Sequence[Act], agents: Sequence[str]) -> list[str]:
    """The names of all actions."""
    return [act.name.format(agent) for act in acts for agent in (agents if act.aimed else [""])]


@kernel
def support(votes, target):
    """How many name a target."""
    count = 0
    for voter in range(votes.shape[0]):
        count += votes[voter] == target
    return count


@kernel
def is_first_named(votes, voter):
    """Whether no voter before this one names the same target."""
    for earlier in range(voter):
        if votes[earlier] == votes[voter]:
            return False
    return True


@kernel
def plurality(s, votes, ties):
    """Whom most voters name, or `NOBODY` where there are no votes, or a tie and nobody is to have it."""
    most, tied = 1, 0
    for voter in range(votes.shape[0]):
        if votes[voter] != NOBODY and is_first_named(votes, voter):
            count = support(votes, votes[voter])
            if count > most:
                most, tied = count, 0
            tied += count == most
    if tied == 0 or (tied > 1 and ties == NEITHER):
        return NOBODY
    left = random.randint(s, tied) if tied > 1 and ties == RANDOM else 0
    for voter in range(votes.shape[0]):
        if votes[voter] != NOBODY and is_first_named(votes, voter) and support(votes, votes[voter]) == most:
            if left == 0:
                return np.int64(votes[voter])
            left -= 1
    return NOBODY


# Roles: this needs `roles` and `params.counts`.


@kernel
def deal(s):
    """Give each player a random role, `params.counts` of each."""
    a = 0
    for role in range(s.params.counts.shape[0]):
        for _ in range(s.params.counts[role]):
            s.roles[a] = role
            a += 1
    random.shuffle(s, s.roles, s.roles.shape[0])


# Talk: these need `alive`, `order`, `seated`, `spoken`, `speaker`, `said`, `messages`, `stances`.


@kernel
def clear_talk(s):
    """Forget what was said; claims stay."""
    s.said = 0
    for k in range(s.messages.shape[0]):
        for part in range(3):
            s.messages[k, part] = NOBODY
    for a in range(s.stances.shape[0]):
        for b in range(s.stances.shape[0]):
            s.stances[a, b] = NOTHING


@kernel
def open_talk(s):
    """Line up the living in random order; the first one speaks."""
    s.seated = 0
    for a in range(s.alive.shape[0]):
        s.order[a] = NOBODY
    for a in range(s.alive.shape[0]):
        if s.alive[a] != 0:
            s.order[s.seated] = a
            s.seated += 1
    random.shuffle(s, s.order, s.seated)
    s.spoken = 0
    s.speaker = s.order[0]


@kernel
def say(s, speaker, act, target):
    """Note what is said, in the order of talk."""
    s.messages[s.said, 0] = speaker
    s.messages[s.said, 1] = act
    s.messages[s.said, 2] = target
    s.said += 1


@kernel
def utter(s, action, plain, accuse, defend):
    """Note what the speaker says, and whom it accuses or defends by it. Returns the act and its target."""
    players, speaker = s.stances.shape[0], s.speaker
    act, target = act_of(action, plain, players), target_of(action, plain, players)
    say(s, speaker, act, target)
    if act == accuse:
        s.stances[speaker, target] = ACCUSED
    elif act == defend:
        s.stances[speaker, target] = DEFENDED
    return act, target


@kernel
def pass_on(s, utterances):
    """Let the next in line speak; true after this number of utterances, and then nobody speaks."""
    s.spoken += 1
    over = s.spoken >= utterances
    s.speaker = NOBODY if over else s.order[s.spoken % s.seated]
    return over


# The table: these need the fields of `table_fields`.


@kernel
def lay_table(s):
    """Start: all alive, nothing said. Each player knows its own role, and deceivers know each other's."""
    players = s.alive.shape[0]
    s.day = 1
    s.speaker = NOBODY
    s.seated = 0
    s.spoken = 0
    for a in range(players):
        s.alive[a] = 1
        s.claims[a] = NOBODY
        s.order[a] = NOBODY
        s.plans[a] = NOBODY
        for b in range(players):
            fellows = s.roles[a] == DECEIVER and s.roles[b] == DECEIVER
            s.minds[a].roles[b] = s.roles[b] if a == b or fellows else NOBODY
            s.minds[a].plans[b] = NOBODY
    for d in range(s.votes.shape[0]):
        s.removed[d] = NOBODY
        s.killed[d] = NOBODY
        for a in range(players):
            s.votes[d, a] = NOBODY
    clear_talk(s)


@kernel
def living(s):
    """How many are alive."""
    count = 0
    for a in range(s.alive.shape[0]):
        count += s.alive[a]
    return count


@kernel
def living_deceivers(s):
    """How many deceivers are alive."""
    count = 0
    for a in range(s.alive.shape[0]):
        count += (s.roles[a] == DECEIVER) & (s.alive[a] != 0)
    return count


@kernel
def reveal(s, player):
    """Show a player's role to all."""
    for a in range(s.alive.shape[0]):
        s.minds[a].roles[player] = s.roles[player]


@kernel
def poll(s, actions, plain):
    """Take the living's votes of today, aimed actions all; who is to go, by the rule for ties."""
    players = s.alive.shape[0]
    for a in range(players):
        s.votes[s.day - 1, a] = target_of(actions[a], plain, players) if s.alive[a] != 0 else NOBODY
    return plurality(s, s.votes[s.day - 1], s.params.ties)


@kernel
def conspire(s, actions, plain):
    """Take the plans of the living deceivers, aimed actions all; deceivers see them."""
    players = s.alive.shape[0]
    for a in range(players):
        acts = s.roles[a] == DECEIVER and s.alive[a] != 0
        s.plans[a] = target_of(actions[a], plain, players) if acts else NOBODY
    share_plans(s)


@kernel
def clear_plans(s):
    """A new night: nobody is named."""
    for a in range(s.alive.shape[0]):
        s.plans[a] = NOBODY
    share_plans(s)


@kernel
def share_plans(s):
    """Show the plans to the deceivers."""
    for a in range(s.alive.shape[0]):
        if s.roles[a] == DECEIVER:
            copy(s.minds[a].plans, s.plans)


@kernel
def conclude(s, rewards, deceivers_win):
    """End the game: 1 to the winners and -1 to the others, the dead as well; all roles are shown."""
    for a in range(s.alive.shape[0]):
        rewards[a] += 1.0 if (s.roles[a] == DECEIVER) == deceivers_win else -1.0
        s.terminated[a] = 1
        reveal(s, a)


@kernel
def observe_table(s, agent, out):
    """Write all parts of `table_parts`."""
    out.phase[0] = s.phase
    out.day[0] = s.day
    out.agent[0] = agent
    out.speaker[0] = s.speaker
    out.deceivers[0] = s.params.deceivers
    copy(out.alive, s.alive)
    copy(out.roles, s.minds[agent].roles)
    copy(out.plans, s.minds[agent].plans)
    copy(out.removed, s.removed)
    copy(out.killed, s.killed)
    copy(out.votes, s.votes)
    copy(out.claims, s.claims)
    copy(out.stances, s.stances)
    copy(out.messages, s.messages)


@kernel
def observe_talk(s, agent, out):
    """Write phase, agent and number of each role, and the talk, as worlds with `params.counts` show them."""
    out.phase[0] = s.phase
    out.agent[0] = agent
    for role in range(s.params.counts.shape[0]):
        out.counts[role] = s.params.counts[role]
    copy(out.stances, s.stances)
    copy(out.messages, s.messages)


# What baselines read of an observation.


@kernel
def accusers(observation, player):
    """How many accused a player in the last talk."""
    count = 0
    for a in range(observation.stances.shape[0]):
        count += observation.stances[a, player] == ACCUSED
    return count


def part(low: int, high: int | Sequence[int], *shape: int) -> Box:
    """A part of an observation, int8; the last axis may have a bound for each entry."""
    shape = shape or (1,)
    return Box(np.full(shape, low, np.int8), np.full(shape, high, np.int8), dtype=np.int8)


def table_parts(players: int, days: int, utterances: int, phases: int, roles: int, spoken: int) -> dict[str, Space]:
    """The parts of an observation; `spoken` acts are acts of speech."""
    last = players - 1
    return {
        "phase": part(0, phases - 1),
        "day": part(1, days),
        "agent": part(0, last),
        "speaker": part(NOBODY, last),
        "deceivers": part(1, last),
        "alive": part(0, 1, players),
        "roles": part(NOBODY, roles - 1, players),
        "removed": part(NOBODY, last, days),
        "killed": part(NOBODY, last, days),
        "votes": part(NOBODY, last, days, players),
        "plans": part(NOBODY, last, players),
        "claims": part(NOBODY, roles - 1, players),
        "stances": part(NOTHING, DEFENDED, players, players),
        "messages": part(NOBODY, [last, spoken - 1, last], max(utterances, 1), 3),
    }


def read_seats(s: Any, level: Mapping[str, Any], roles: Sequence[Role], name: str) -> None:
    """Set `roles`, `params.counts` of each, and `first` as a level has them; `LevelError` begins with the name."""
    names = [role.name for role in roles]
    given, counts = level["roles"], s.params.counts.tolist()
    if not isinstance(given, (list, tuple)) or not all(role in names for role in given):
        raise LevelError(f"{name}: 'roles' must be a list of {listed(names)}, not {given!r:.80}")
    if [given.count(role) for role in names] != counts:
        wanted = listed([f"{count} x {role}" for role, count in zip(names, counts) if count])
        raise LevelError(f"{name}: the level's roles must be {wanted}, in any order")
    s.first = read_integer(level["first"], f"{name}: the level's first", 0, len(given) - 1)
    s.roles[:] = [names.index(role) for role in given]


# Words and pictures.


@dataclass(frozen=True)
class Role:
    """A role's name, with its article in `a`, and its color of the theme."""

    name: str
    a: str
    color: str


@dataclass(frozen=True)
class Phase:
    """A phase's name, and whether it is at night."""

    name: str
    night: bool = False


class Talkers:
    """A world in which one speaks at a time, to all; it needs `speaker`, `said`, `messages` and `stances`."""

    neutral = "silent"
    phrases: Mapping[str, Sequence[str]] = PHRASES
    agents: tuple[str, ...]

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        return range(len(self.agents)) if s.speaker == agent else None

    def unspoken(self, s: Any) -> Any:
        quiet = copied(s)
        clear_talk(quiet)
        if hasattr(quiet, "claims"):
            quiet.claims[:] = NOBODY
        return quiet


class RoundTable(Talkers, World):
    """A world of hidden roles around a table: what its subclasses share beside their rules."""

    #: What the world is called, its roles and phases by number, and its teams: the many, the deceivers.
    title: ClassVar[str]
    roles: ClassVar[Sequence[Role]]
    phases: ClassVar[Sequence[Phase]]
    teams: ClassVar[tuple[str, str]]
    #: All acts by number.
    acts: ClassVar[Sequence[Act]]
    #: How a death at night is called, and whether a night comes before the day of the same number.
    killing: ClassVar[str]
    night_first: ClassVar[bool] = False
    #: What a day is called in the picture.
    day_name: ClassVar[str] = "day"
    #: Which acts of speech the picture shows as arrows, and in which color.
    arrows: ClassVar[Mapping[int, str]]
    #: Number of plain acts; what is said, by number of an act of speech. Both follow from `acts`.
    plain: ClassVar[int]
    said: ClassVar[Sequence[str]]

    def __init_subclass__(cls, **_: Any) -> None:
        super().__init_subclass__()
        cls.plain = count_plain(cls.acts)
        cls.said = [act.said for act in cls.acts if act.said]

    def role_counts(self, s: Any) -> list[int]:
        """How many have each role."""
        raise NotImplementedError

    def notes(self, s: Any, agent: int) -> list[str]:
        """Further lines of what an agent knows."""
        return []

    # Rounds of talk.

    def talk_seats(self, s: Any) -> Collection[int]:
        """The living, by day."""
        return [] if self.phases[s.phase].night else np.flatnonzero(s.alive).tolist()

    def talk_teams(self, s: Any) -> Sequence[Collection[int]]:
        """The living deceivers, at night."""
        living = np.flatnonzero((s.alive != 0) & (s.roles == DECEIVER)).tolist()
        return [living] if self.phases[s.phase].night else []

    def talk_times(self, s: Any) -> Collection[str]:
        """All talk before a vote, and the deceivers at night."""
        if self.phases[s.phase].night:
            return ("team",)
        return ("public", "private") if self.phases[s.phase].name == "vote" else ()

    # Records from outside.

    def contradiction(self, s: Any) -> str | None:
        if np.bincount(s.roles, minlength=len(self.roles)).tolist() != self.role_counts(s):
            return "the roles are not those of the game"
        if (s.messages[: s.said, :2] == NOBODY).any():
            return "nobody has said something"
        over = (s.terminated | s.truncated) > 0
        if over.any():
            return None if over.all() else "the game ends for all players at once"
        return self.unplayable(s)

    def unplayable(self, s: Any) -> str | None:
        """What in a record of a game that is not over does not go together."""
        raise NotImplementedError

    @staticmethod
    def lined_up(s: Any) -> bool:
        """Whether those who talk are the living."""
        return np.array_equal(np.sort(s.order[: s.seated]), np.flatnonzero(s.alive))

    def talks(self, s: Any, rounds: int) -> bool:
        """Whether one whose turn it is speaks, in a talk of this number of rounds; with none, whether nobody speaks."""
        if rounds == 0:
            return bool(s.speaker == NOBODY)
        return self.lined_up(s) and s.spoken < rounds * s.seated and s.speaker == s.order[s.spoken % s.seated]

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"roles": [self.roles[role].name for role in s.roles]}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "roles")
        names = [role.name for role in self.roles]
        given = list(level["roles"])
        unknown = [name for name in given if name not in names]
        if unknown:
            raise LevelError(f"{self.id}: {unknown[0]!r} is no role; there are {listed(names)}")
        counts = self.role_counts(s)
        if [given.count(name) for name in names] != counts:
            wanted = listed([f"{count} x {name}" for name, count in zip(names, counts)])
            raise LevelError(f"{self.id}: the level's roles must be {wanted}, in any order")
        s.roles = [names.index(name) for name in given]

    # Words.

    def sentence(self, message: Sequence[int]) -> str:
        """One utterance in words."""
        speaker, act, target = (int(entry) for entry in message)
        return f"player_{speaker} {self.said[act].format(f'player_{target}')}."

    def messages(self, s: Any) -> list[tuple[int, str]]:
        return [(int(message[0]), self.sentence(message)) for message in s.messages[: s.said]]

    def winners(self, s: Any) -> str:
        """The team that has won, when the game is over."""
        return self.teams[int(living_deceivers(s) > 0)]

    def fates(self, s: Any) -> list[tuple[int, str]]:
        """Who has gone, in order, and how."""
        found = []
        for d, (removed, killed) in enumerate(zip(s.removed, s.killed), 1):
            day = [(int(removed), f"voted out on day {d}"), (int(killed), f"{self.killing} in night {d}")]
            found += [entry for entry in (day[::-1] if self.night_first else day) if entry[0] >= 0]
        return found

    def text(self, s: Any, agent: int) -> str:
        known = s.minds[agent].roles
        over = bool(s.terminated.all())
        phase = self.phases[s.phase]
        me = self.roles[s.roles[agent]]
        fellows = [f"player_{a}" for a in np.flatnonzero(known == DECEIVER) if a != agent]
        lines = [f"You are player_{agent}, {me.a}."]
        if s.roles[agent] == DECEIVER and fellows:
            lines.append(f"Your team: {listed(fellows)}.")
        lines += ["", f"The game is over: {self.winners(s)} win." if over else f"Day {s.day}: {phase.name}."]
        lines.append("Alive: " + ", ".join(f"player_{a}" for a in np.flatnonzero(s.alive)) + ".")
        for a, fate in self.fates(s):
            role = f", {self.roles[known[a]].a}" if known[a] >= 0 else ""
            lines.append(f"player_{a} was {fate}{role}.")
        if over:
            shown = [f"player_{a} {self.roles[role].name}" for a, role in enumerate(s.roles)]
            return "\n".join([*lines, "Roles: " + ", ".join(shown) + "."])
        if not s.alive[agent]:
            lines.append("You are out and only watch; your team's result is yours.")
        for d, votes in enumerate(s.votes):
            cast = [f"player_{a} for player_{target}" for a, target in enumerate(votes) if target >= 0]
            if cast:
                lines.append(f"Votes of day {d + 1}: " + ", ".join(cast) + ".")
        claimed = [f"player_{a} to be {self.roles[role].a}" for a, role in enumerate(s.claims) if role >= 0]
        if claimed:
            lines.append("Claims: " + ", ".join(claimed) + ".")
        lines += self.notes(s, agent)
        plans = [f"player_{a} named player_{target}" for a, target in enumerate(s.plans) if target >= 0]
        if s.roles[agent] == DECEIVER and plans:
            lines.append(("Tonight, " if phase.night else "Last night, ") + ", ".join(plans) + ".")
        if s.said:
            lines.append("Said today:" if s.speaker >= 0 else "Said in the last talk:")
            lines += [f"- {self.sentence(message)}" for message in s.messages[: s.said]]
        lines.append("")
        lines.append(self.ask(s, agent))
        return "\n".join(lines)

    def ask(self, s: Any, agent: int) -> str:
        """Whether the agent is to act, or for whom it waits."""
        if self.legal_actions(s, agent):
            return "You speak." if s.speaker == agent else "It is your turn."
        return f"player_{s.speaker} speaks." if s.speaker >= 0 else "You wait."

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"own": self.roles[s.roles[agent]].name, "own_a": self.roles[s.roles[agent]].a}

    # The picture: the table on the left, what was said and what has happened on the right.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(*SIZE)
        over = bool(s.terminated.all())
        phase = self.phases[s.phase]
        scene.add(Label(0.6, 0.85, self.title, 0.75, bold=True, align="left"))
        when = f"over: {self.winners(s)} win" if over else f"{self.day_name} {s.day} · {phase.name}"
        scene.add(Label(12.4, 0.85, when, 0.55, "muted", "right"))
        draw_table(scene, night=phase.night and not over)
        seats = [seat_at(a, len(self.agents)) for a in range(len(self.agents))]
        for color, giver, target in self._arrows(s, agent):
            scene.add(*draw_arrow(seats[giver], seats[target], color, self._seat_size()))
        self._draw_center(scene, s, over)
        known = s.roles if agent is None else s.minds[agent].roles
        for a in range(len(self.agents)):
            self._draw_seat(scene, s, a, seats[a], int(known[a]), a == agent)
        talk = [(int(m[0]), self.sentence(m).partition(" ")[2], "ink") for m in s.messages[: s.said]]
        draw_panel(scene, 0.45, 7.55, "talk", talk)
        gone = []
        for a, fate in self.fates(s):
            role = f": {self.roles[known[a]].name}" if known[a] >= 0 else ""
            gone.append((a, fate + role, "ink"))
        draw_panel(scene, 8.2, 4.75, "gone", gone)
        return scene

    def _draw_center(self, scene: Scene, s: Any, over: bool) -> None:
        x, y = CENTER
        if over:
            lines = [(self.winners(s), 0.62), ("win", 0.5)]
        elif s.speaker >= 0:
            act = [self.sentence(m) for m in s.messages[max(s.said - 1, 0) : s.said]]
            lines = [(f"player_{s.speaker} speaks", 0.5)] + ([(act[0], 0.42)] if act else [])
        else:
            name = self.phases[s.phase].name
            lines = [(name, min(0.62, 0.5 * 5.6 / text_width(name, 0.62)))]
        wide, tall = min(5.6, max(text_width(line, size) for line, size in lines)) + 0.5, 0.7 * len(lines) + 0.2
        ground = "shadow" if self.phases[s.phase].night and not over else "felt"
        scene.add(Rect(x - wide / 2, y - tall / 2, wide, tall, ground, radius=0.3))  # arrows pass below the words
        for k, (line, size) in enumerate(lines):
            scene.add(Label(x, y + 0.7 * (k - (len(lines) - 1) / 2), line, size, "white", bold=k == 0, width=5.6))

    def _arrows(self, s: Any, agent: int | None) -> list[tuple[str, int, int]]:
        """Who points at whom, and the color: today's votes, else what each said last; plans at night and at dawn."""
        votes, night = s.votes[s.day - 1], self.phases[s.phase].night
        if (votes >= 0).any() and not night:
            return [("ink", a, int(target)) for a, target in enumerate(votes) if target >= 0]
        if night or not s.said:
            plans = s.plans if agent is None else s.minds[agent].plans
            return [("purple", a, int(target)) for a, target in enumerate(plans) if target >= 0]
        aimed = [m for m in s.messages[: s.said] if int(m[1]) in self.arrows]
        last = {int(m[0]): (self.arrows[int(m[1])], int(m[0]), int(m[2])) for m in aimed}
        return list(last.values())

    def _seat_size(self) -> float:
        return min(1.0, 10 / len(self.agents))

    def _draw_seat(self, scene: Scene, s: Any, a: int, seat: tuple[float, float], role: int, own: bool) -> None:
        x, y = seat
        size = self._seat_size()
        words = max(size, 0.7)  # of what is written; smaller could not be read
        radius = 0.58 * size
        alive = bool(s.alive[a])
        if s.speaker == a:
            scene.add(Circle(x, y, radius + 0.22 * size, "highlight", glyph=""))
        scene.add(Circle(x + 0.03, y + 0.06, radius, "shadow@0.2", glyph=""))
        scene.add(Circle(x, y, radius, agent_color(a) if alive else "line", "ink" if own else "white", 0.08))
        if not alive:
            d = 0.4 * size
            for sign in (-1, 1):
                scene.add(Line([(x - d, y - sign * d), (x + d, y + sign * d)], "bad@0.45", 0.1 * size))
        scene.add(Label(x, y, str(a), 0.62 * size, text_on(agent_color(a)) if alive else "ink", bold=True))
        name, color = (self.roles[role].name, self.roles[role].color) if role >= 0 else ("?", "grey")
        letters, height = 0.36 * words, 0.44 * words
        width = max(1.12 * text_width(name, letters) + 0.34 * words, 0.6 * words)
        top = y + radius + 0.1
        scene.add(Rect(x - width / 2, top, width, height, color if alive else f"{color}@0.45", radius=height / 2))
        scene.add(Label(x, top + height / 2, name, letters, text_on(color) if alive else "ink", bold=True))
        if s.claims[a] >= 0 and alive:
            claim = f"“{self.roles[s.claims[a]].name}”"
            wide, middle = text_width(claim, letters) + 0.2, y - radius - 0.42 * words
            scene.add(Rect(x - wide / 2, middle - height / 2, wide, height, "paper", radius=height / 2))
            scene.add(Label(x, middle, claim, letters, "ink"))
        votes = 0 if self.phases[s.phase].night else support(s.votes[s.day - 1], a)
        if votes:
            scene.add(Circle(x + radius, y - 0.75 * radius, 0.27, "black", "white", 0.05, glyph=""))
            scene.add(Label(x + radius, y - 0.75 * radius, str(votes), 0.36, "white", bold=True))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """On a seat: what the phase is for, against who sits there."""
        for a in range(len(self.agents)):
            seat = seat_at(a, len(self.agents))
            if hypot(x - seat[0], y - seat[1]) <= 0.75:
                for action in self.legal_actions(s, agent):
                    if target_of(action, self.plain, len(self.agents)) == a:
                        return action
        return None


#: The picture's size, the middle of the table, and the half axes of the seats around it.
SIZE = (20.0, 13.4)
CENTER = (6.5, 7.0)
SEATS = (5.3, 4.75)


def seat_at(a: int, players: int) -> tuple[float, float]:
    """The place of a player's seat."""
    turn = 2 * pi * a / players - pi / 2
    return CENTER[0] + SEATS[0] * cos(turn), CENTER[1] + SEATS[1] * sin(turn) - 0.1


def _ellipse(across: float, down: float, points: int = 72) -> list[tuple[float, float]]:
    turns = [2 * pi * k / points for k in range(points)]
    return [(CENTER[0] + across * cos(turn), CENTER[1] + down * sin(turn)) for turn in turns]


def draw_table(scene: Scene, night: bool) -> None:
    """The table, with the moon or the sun on it."""
    scene.add(Polygon(_ellipse(4.2, 3.55), "shadow@0.15"), Polygon(_ellipse(4.1, 3.45), "brown"))
    scene.add(Polygon(_ellipse(3.85, 3.2), "shadow" if night else "felt"))
    x, y = CENTER[0], CENTER[1] - 2.1
    if night:
        scene.add(Circle(x, y, 0.42, "beam", glyph="☾"), Circle(x + 0.2, y - 0.12, 0.36, "shadow", glyph=""))
    else:
        scene.add(Circle(x, y, 0.3, "beam", glyph="☀"))
        for k in range(8):
            across, down = cos(pi * k / 4), sin(pi * k / 4)
            ray = [(x + 0.4 * across, y + 0.4 * down), (x + 0.56 * across, y + 0.56 * down)]
            scene.add(Line(ray, "beam", 0.08))


def draw_arrow(start: tuple[float, float], end: tuple[float, float], color: str, size: float) -> list[Shape]:
    """From the edge of one seat to the edge of another, a little to the right, so that answers do not hide it.

    Its edge in the color of the paper keeps every color apart from the table. To the same seat, it is a ring around it.
    """
    if start == end:
        turn = [pi * k / 12 for k in range(25)]
        ring = [(start[0] + 0.86 * size * cos(angle), start[1] + 0.86 * size * sin(angle)) for angle in turn]
        return [Line(ring, "paper@0.6", 0.16 * size), Line(ring, f"{color}@0.8", 0.08 * size)]
    length = hypot(end[0] - start[0], end[1] - start[1])
    across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length

    def at(along: float, aside: float) -> tuple[float, float]:
        aside *= size
        return start[0] + along * across - aside * down, start[1] + along * down + aside * across

    head, tail, side = length - 0.82 * size, 0.78 * size, 0.14
    back = head - 0.32 * size
    shaft = [at(tail, side), at(back + 0.1 * size, side)]
    return [
        Line(shaft, "paper@0.6", 0.16 * size),
        Polygon([at(head + 0.1, side), at(back - 0.05, side - 0.25), at(back - 0.05, side + 0.25)], "paper@0.6"),
        Line(shaft, f"{color}@0.8", 0.08 * size),
        Polygon([at(head, side), at(back, side - 0.17), at(back, side + 0.17)], color),
    ]


def draw_panel(scene: Scene, y: float, height: float, title: str, entries: list[tuple[int, str, str]]) -> None:
    """On the right, the last of these entries that there is room for: a player, words, and their color."""
    x, width = 13.0, 6.5
    scene.add(Rect(x, y, width, height, "panel", radius=0.25))
    scene.add(Label(x + 0.35, y + 0.5, title, 0.42, "muted", "left", bold=True))
    rows = int((height - 1.0) / 0.54)
    for k, (player, words, color) in enumerate(entries[-rows:]):
        row = y + 1.15 + 0.54 * k
        scene.add(Circle(x + 0.6, row, 0.22, agent_color(player), glyph=""))
        scene.add(Label(x + 0.6, row, str(player), 0.3, text_on(agent_color(player)), bold=True))
        scene.add(Label(x + 1.0, row, words, 0.4, color, "left", width=width - 1.25))
