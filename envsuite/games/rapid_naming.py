"""RapidNaming: learn new words for new figures from a single look, and lift what is named later on.

**Rules.** A table has a place for each of `objects` figures. An episode has `recall_after` + 1 lessons, each with its
own words and figures:

1. *Shows.* The figures of the lesson are shown one by one, each at a random place and with its word. Actions have no
   effect.
2. *Chores.* A figure that is in no lesson stands alone at a random place, `distractors` times. Lifting it pays 0.1.
3. *Question.* All figures of the lesson stand on the table, at random places, with one of their words. Lifting the
   figure that has this word pays 1.

If `recall_after` is not 0, a question about the first lesson ends the episode. So its words must be kept over that many
other lessons. Words are never used twice in an episode, and neither are figures.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| phase | Box (1,) int8 | 0 show, 1 chore, 2 question |
| word | Box (1,) int8 | the number of the word, from 0; -1 in a chore |
| figures | Box (objects,) int16 | the figure at each place: 10 x shape + color; -1 if there is none |

**Actions.** Discrete (objects), all of them always legal.

| action | name |
|---|---|
| 0, 1, .. | `lift 1`, `lift 2`, ..: what stands at this place |

**Window.** The number keys lift, and so does a click on a place.

**Rewards.** 1 for the right figure of a question, 0.1 for each chore.

**Ends.** Terminates with the last question.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `objects` | 3 | figures of a lesson, from 2 to 8 |
| `distractors` | 2 | chores before each question, from 0 to 100 |
| `recall_after` | 0 | lessons between the first one and the last question, from 0 to 7 |

**Level.** ``{"lessons": [[["bafen", "blue 3-sided"], ..]], "asked": [0]}``: the words and figures of each lesson in the
order in which they are shown, and the number of the pair that each question asks for. Places and chores are drawn.

**Known values.** Any play that does not remember the shows is right in a question with probability 1 / `objects`,
because the places are uniform. Random play also does a chore with this probability. With q questions and c chores it
thus earns (q + c / 10) / `objects`, and perfect memory earns q + c / 10.

**Differences.** From the paper:

- Its task is in a room in three dimensions, where the agent finds and lifts objects. Here, only the binding of words to
  figures is left, and its chores are without an instruction.
- Its words are tested after other episodes, which here are lessons of one episode.

**Source.** Hill, Tieleman, von Glehn, Wong, Merzic and Clark, "Grounded language learning fast and slow", 2021;
Lampinen and others, "Towards mental time travel", 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_list, read_numbers
from envsuite.core.page import Page, When
from envsuite.core.ranges import below
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import chain
from envsuite.kit.figures import FIGURES, NUMBERS, distinct, figure, named
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene

SHOW, CHORE, QUESTION = range(3)

#: Nothing at a place, no word.
NONE = -1

#: What a chore pays.
PAY = 0.1

_FIRST = ("ba", "do", "fe", "gi", "ku", "lo", "mi", "ne")
_SECOND = ("bix", "dap", "fen", "gup", "lot", "mur", "sil", "vak")
WORDS = tuple(first + second for first in _FIRST for second in _SECOND)


def fields(objects: int, lessons: int, questions: int) -> list[tuple]:
    """The record's own fields. Pairs are numbered through all lessons."""
    pairs = objects * lessons
    return [
        ("words", below(np.int64, len(WORDS)), (pairs,)),  # level
        ("figures", below(np.int64, FIGURES), (pairs,)),  # level
        ("asked", below(np.int64, objects), (questions,)),  # level: the pair of its lesson
        ("spots", below(np.int64, objects), (objects,)),  # places of the figures now, in the order of the lesson
        ("stray", below(np.int64, FIGURES)),  # the figure of a chore
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        distinct(s, s.words, len(WORDS))
        distinct(s, s.figures, FIGURES)
        for k in range(s.asked.shape[0]):
            s.asked[k] = random.randint(s, s.spots.shape[0])
    for k in range(s.spots.shape[0]):
        s.spots[k] = k
    s.stray = 0
    prepare(s)


@kernel
def moment(s, t):
    """The lesson, the step of it, and the phase, after `t` steps; the last question is a lesson after the last one."""
    objects, chores = s.spots.shape[0], s.params.distractors
    steps = objects + chores + 1
    lesson, k = t // steps, t % steps
    if lesson * objects >= s.words.shape[0]:
        return lesson, k, QUESTION
    return lesson, k, SHOW if k < objects else CHORE if k < objects + chores else QUESTION


@kernel
def length(s):
    """The steps of an episode."""
    objects = s.spots.shape[0]
    lessons = s.words.shape[0] // objects
    return lessons * (objects + s.params.distractors + 1) + s.asked.shape[0] - lessons


@kernel
def pair_asked(s, lesson):
    """The pair that a question asks for; the last question is about the first lesson."""
    objects = s.spots.shape[0]
    first = lesson * objects if lesson * objects < s.words.shape[0] else 0
    return first + s.asked[min(lesson, s.asked.shape[0] - 1)]


@kernel
def prepare(s):
    """Draw the places, and the figure of a chore."""
    random.shuffle(s, s.spots, s.spots.shape[0])
    if moment(s, s.t)[2] == CHORE:
        again = True
        while again:
            s.stray = random.randint(s, FIGURES)
            again = False
            for k in range(s.figures.shape[0]):
                again = again or s.figures[k] == s.stray


@kernel
def step(s, actions, rewards):
    lesson, _, phase = moment(s, s.t - 1)
    if phase == CHORE and actions[0] == s.spots[0]:
        rewards[0] = PAY
    if phase == QUESTION:
        rewards[0] = 1.0 if actions[0] == s.spots[pair_asked(s, lesson) % s.spots.shape[0]] else 0.0
        s.terminated[0] = lesson == s.asked.shape[0] - 1
    prepare(s)


@kernel
def observe(s, agent, out):
    objects = s.spots.shape[0]
    lesson, k, phase = moment(s, s.t)
    for spot in range(objects):
        out.figures[spot] = NONE
    out.phase[0] = phase
    out.word[0] = NONE
    if s.terminated[0] != 0:
        return
    if phase == SHOW:
        out.word[0] = s.words[lesson * objects + k]
        out.figures[s.spots[k]] = s.figures[lesson * objects + k]
    elif phase == CHORE:
        out.figures[s.spots[0]] = s.stray
    else:
        asked = pair_asked(s, lesson)
        out.word[0] = s.words[asked]
        for j in range(objects):
            out.figures[s.spots[j]] = s.figures[asked // objects * objects + j]


PAGE = Page(
    role="You learn new words for new figures on a table with {objects} places.",
    goal=(
        "Lifting the right figure in a question pays you 1.",
        When("distractors", "Lifting the figure of a chore pays you {pay}."),
    ),
    rules=(
        (
            When(
                "recall_after", "There are {lessons} lessons, each with its own words and figures. In each,", "First,"
            ),
            "{objects} figures are shown one by one, each at a random place and with its word. You cannot get anything "
            "then: whatever you do shows the next one.",
            When(
                "distractors",
                "After that {distractors:chore} {follow}: a figure that is in no lesson stands alone at a random "
                "place, for you to lift.",
            ),
            "Then comes the question: the {objects} figures of the lesson stand on the table, at random places, and "
            "you are to lift the one that has a given word.",
        ),
        When("recall_after", "After the last lesson there is one more question, about the first lesson."),
    ),
    sees="You see what stands on the table and the word that is shown or asked for, but nothing from earlier turns.",
    acts={"lift {N}": "lift what stands at place N, if anything does"},
    ends="It is over with the last question, after {steps:turn}.",
    constants={"1": "what a right answer pays"},
)


class RapidNaming(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = "closed forms; a second implementation of whole episodes in the tests"
    variants = (dict(objects=2, distractors=0), dict(objects=8, distractors=1, recall_after=7))
    shown = "memory"
    player_page = PAGE

    def __init__(
        self,
        objects: Annotated[int, Between(2, 8)] = 3,
        distractors: Annotated[int, Between(0, 100)] = 2,
        recall_after: Annotated[int, Between(0, 7)] = 0,
    ):
        lessons = recall_after + 1
        questions = lessons + (recall_after > 0)
        self.keys = {str(k + 1): f"lift {k + 1}" for k in range(objects)}
        self.define(
            agents=["agent"],
            actions=[f"lift {k + 1}" for k in range(objects)],
            observation=Dict(
                phase=Box(SHOW, QUESTION, (1,), np.int8),
                word=Box(NONE, len(WORDS) - 1, (1,), np.int8),
                figures=Box(NONE, FIGURES - 1, (objects,), np.int16),
            ),
            fields=fields(objects, lessons, questions),
            params={"distractors": distractors},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if len(set(s.spots.tolist())) < len(s.spots):
            return "two figures have one place"
        if any(len(set(values.tolist())) < len(values) for values in (s.words, s.figures)):
            return "words and figures must differ"
        return "the last question has been asked" if (s.t >= length(s)) != bool(s.terminated[0]) else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "lessons", "asked")
        count, objects = len(s.words) // len(s.spots), len(s.spots)
        lessons = read_list(level["lessons"], f"{self.id}: the level's lessons", count)
        lessons = [read_list(pairs, f"{self.id}: a lesson", objects) for pairs in lessons]
        what = f"{self.id}: the level's asked"
        s.asked[:] = read_numbers(level["asked"], what, s.asked.shape, 0, objects - 1, whole=True)
        pairs = [pair for lesson in lessons for pair in lesson]
        for pair in pairs:
            fits = isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            if not fits or pair[0] not in WORDS or pair[1] not in NUMBERS:
                raise LevelError(
                    f"{self.id}: {pair!r:.60} must be a word such as {WORDS[0]!r} and a figure such as {named(0)!r}"
                )
        if len({word for word, _ in pairs}) < len(pairs) or len({what for _, what in pairs}) < len(pairs):
            raise LevelError(f"{self.id}: the words and the figures of a level must differ")
        s.words[:] = [WORDS.index(word) for word, _ in pairs]
        s.figures[:] = [NUMBERS[what] for _, what in pairs]

    def get_level(self, s: Any) -> dict[str, Any]:
        objects = len(s.spots)
        pairs = [[WORDS[word], named(what)] for word, what in zip(s.words.tolist(), s.figures.tolist())]
        return {"lessons": [pairs[k : k + objects] for k in range(0, len(pairs), objects)], "asked": s.asked.tolist()}

    # Words and pictures.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "pay": PAY,
            "lessons": len(s.words) // len(s.spots),
            "steps": int(length(s)),
            "follow": "follows" if s.params.distractors == 1 else "follow",
        }

    def text(self, s: Any, agent: int) -> str:
        seen, lines = self.observation(s, 0), [f"Steps so far: {s.t} of {length(s)}."]
        if s.terminated[0]:
            return "\n".join([*lines, "It is over."])
        for spot, number in enumerate(seen.figures.tolist()):
            if number != NONE:
                lines.append(f"Place {spot + 1}: {named(number)}")
        word = WORDS[seen.word[0]]
        asks = (f"This is a {word}. Any action continues.", "Lift this figure.", f"Lift the {word}.")[seen.phase[0]]
        return "\n".join([*lines, asks])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        seen, over = self.observation(s, 0), bool(s.terminated[0])
        scene = chain.begun("RapidNaming", int(s.t), int(length(s)), over)
        lesson, _, phase = moment(s, s.t)
        caption = "" if over else ("this is", "lift this figure", "lift")[phase]
        scene.add(Label(8.0, 1.9, caption, 0.45, "muted"))
        if seen.word[0] != NONE:
            scene.add(Label(8.0, 2.8, WORDS[seen.word[0]], 0.9, bold=True))
        size = self._size()
        right = s.spots[pair_asked(s, lesson) % len(s.spots)] if phase == QUESTION and agent is None else NONE
        for spot, number in enumerate(seen.figures.tolist()):
            x = 8.0 + size * (spot - len(s.spots) / 2)
            edge = "gold" if spot == right and not over else "line"
            scene.add(Rect(x + 0.08, 5.4 - size / 2 + 0.08, size - 0.16, size - 0.16, "panel", edge, 0.08, 0.2))
            scene.add(Label(x + 0.35, 5.4 - size / 2 + 0.38, str(spot + 1), 0.34, "muted"))
            if number != NONE:
                scene.add(figure(x + size / 2, 5.4, number, 0.75 * size))
        return scene

    def _size(self) -> float:
        """The side of a place in the picture."""
        return min(2.8, 15.0 / len(self.action_names[0]))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        size, count = self._size(), len(s.spots)
        spot = int((x - 8.0 + size * count / 2) // size)
        return spot if 0 <= spot < count and abs(y - 5.4) <= size / 2 else None


env, raw_env, parallel_env = pettingzoo_forms(RapidNaming)
