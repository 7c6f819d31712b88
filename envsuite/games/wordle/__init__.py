"""Wordle: find a secret word by guessing words, whose letters are marked green, yellow or gray.

**Rules.** The secret word is one of a list of `words` English words of `letters` letters; each is equally likely. The
agent guesses words of the list, and each letter of a guess is marked:

- green, if the secret word has this letter at this place;
- yellow, if the secret word has this letter at another place. A letter gets no more green and yellow marks than the
  secret word has such letters: first the green ones, then yellow ones from left to right;
- gray otherwise.

With `repeats="ignored"`, a letter that is not green is yellow whenever the secret word has it at all.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| guesses | Box (turns,) int16 | the numbers of the words that were guessed; -1 for what is not there |
| spelled | Box (turns, letters) int8 | their letters, 0 for a to 25 for z; -1 for what is not there |
| marks | Box (turns, letters) int8 | 0 gray, 1 yellow, 2 green; -1 for what is not there |

**Actions.** Discrete (words), all of them always legal.

| action | name |
|---|---|
| k | the k-th word of the list, in alphabetical order |

**Window.** A click on a word of the list guesses it.

**Rewards.** 1 for the secret word, 0 otherwise.

**Ends.** Terminates with the secret word, or after `turns` guesses.

**Uncertainty.** With `Uncertainty(env)`, infos say how many words all marks allow. They are equally likely.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `letters` | 5 | letters of a word, from 4 to 10 |
| `words` | 300 | words of the list, from 2 to 300 |
| `turns` | 6 | guesses, from 1 to 20 |
| `repeats` | "counted" | "counted" or "ignored": whether yellow marks count how often the secret word has a letter |

**Level.** ``{"word": "clean"}``: the secret word.

**Known values.** Of the 3 ** letters rows of marks, all are possible but those with one yellow and no gray mark, whose
letter would have no other place: 238 of 243 for five letters. If yellow marks are not counted, all are possible.

**Differences.** From the game of the New York Times:

- The list is shorter, because every word is an action. A list with fewer than 300 words has some of these, at equal
  distances in the alphabet.
- Only words of the list can be guessed. There, many more words can be guessed than can be secret.

From the games of PAPRIKA, which are those with `repeats="ignored"` and six turns, and with other numbers of letters and
ten turns:

- Any string of letters can be guessed there.

**Source.** Wardle, "Wordle", 2021; Tajwar et al., "Training a generally curious agent", 2025 (PAPRIKA).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.elementary import log2
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_name
from envsuite.core.page import Case, Page
from envsuite.core.random import randint
from envsuite.core.ranges import below, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.wordle.words import WORDS
from envsuite.kit.information import alike, counted_by
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import text_on

#: What is not there yet.
NONE = -1

#: The numbers of letters, and the words of each.
SHORTEST, LONGEST, MOST = 4, 10, 300

#: Marks, their names and their colors.
GREY, YELLOW, GREEN = range(3)
MARKS = ("gray", "yellow", "green")
COLORS = ("grey", "gold", "green")

#: Whether yellow marks count how often the secret word has a letter.
COUNTED, IGNORED = range(2)
REPEATS = ("counted", "ignored")

#: The letters of all words: [length - SHORTEST, word, place].
SPELLED = np.full((LONGEST - SHORTEST + 1, MOST, LONGEST), NONE, np.int8)
for _length, _words in WORDS.items():
    SPELLED[_length - SHORTEST, :, :_length] = [[ord(letter) - ord("a") for letter in word] for word in _words]

#: The picture's list of words: its rows, their height, and the width of a letter.
ROWS, ROW, LETTER = 20, 0.42, 0.19


def fields(letters: int, words: int, turns: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("word", below(np.int64, words)),  # the level: the number of the secret word
        ("guesses", within(np.int16, NONE, words - 1), (turns,)),
        ("marks", within(np.int8, NONE, GREEN), (turns, letters)),
        ("turn", within(np.int64, 0, turns)),  # guesses so far
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        s.word = randint(s, s.params.words)
    s.turn = 0
    fill(s.guesses, NONE)
    fill(s.marks, NONE)


@kernel
def row(word, words):
    """Where a word is among all of its length, by its number in a list of this many words."""
    return word * MOST // words


@kernel
def mark(secret, guess, k, repeats):
    """The mark of letter k of a guess."""
    if guess[k] == secret[k]:
        return GREEN
    left = 0  # such letters of the secret word that no mark of another letter stands for
    for j in range(secret.shape[0]):
        if repeats == IGNORED or guess[j] != secret[j]:
            left += secret[j] == guess[k]
            left -= j < k and guess[j] == guess[k] and repeats == COUNTED
    return YELLOW if left > 0 else GREY


@kernel
def fits(secret, guess, marks, repeats):
    """Whether a guess has these marks if this word is the secret one."""
    for k in range(secret.shape[0]):
        if mark(secret, guess, k, repeats) != marks[k]:
            return False
    return True


@kernel
def step(s, actions, rewards):
    turns, letters = s.marks.shape
    listed = SPELLED[letters - SHORTEST, :, :letters]
    secret, guessed = listed[row(s.word, s.params.words)], listed[row(actions[0], s.params.words)]
    s.guesses[s.turn] = actions[0]
    for k in range(letters):
        s.marks[s.turn, k] = mark(secret, guessed, k, s.params.repeats)
    s.turn += 1
    found = actions[0] == s.word
    rewards[0] = 1.0 if found else 0.0
    s.terminated[0] = found or s.turn == turns


@kernel
def observe(s, agent, out):
    turns, letters = s.marks.shape
    for k in range(turns):
        out.guesses[k] = s.guesses[k]
        word = row(max(0, np.int64(s.guesses[k])), s.params.words)
        for j in range(letters):
            out.spelled[k, j] = NONE if s.guesses[k] == NONE else SPELLED[letters - SHORTEST, word, j]
            out.marks[k, j] = s.marks[k, j]


@kernel
def possible(s, word):
    """Whether a word can be the secret one after all marks so far."""
    letters = s.marks.shape[1]
    listed = SPELLED[letters - SHORTEST, :, :letters]
    for k in range(s.turn):
        guessed = listed[row(np.int64(s.guesses[k]), s.params.words)]
        if not fits(listed[row(word, s.params.words)], guessed, s.marks[k], s.params.repeats):
            return False
    return True


@kernel
def guess(s, agent):
    """A random one of the words that all marks allow."""
    found, count = s.word, 0
    for word in range(s.params.words):
        if possible(s, word):
            count += 1
            if randint(s, count) == 0:
                found = word
    s.word = found


@kernel
def left(s):
    """How many words all marks allow."""
    count = 0
    for word in range(s.params.words):
        count += possible(s, word)
    return alike(count)


PAGE = Page(
    role="You look for a secret word.",
    goal="You are paid 1 if you find it, otherwise 0.",
    rules=(
        "The secret word is one of the {words} English words of {letters} letters that you can guess; each is equally "
        "likely. In each turn you guess one of them, and each letter of your guess is marked. It is green if the "
        "secret word has this letter at this place, yellow if the secret word has it at another place, and gray "
        "otherwise.",
        Case(
            "repeats",
            {
                "counted": (
                    "No more green and yellow marks are given for a letter than there are such letters in the secret "
                    "word: first the green ones, then yellow ones from left to right."
                ),
                "ignored": (
                    "A letter that is not green is yellow whenever the secret word has it at all, even if another "
                    "mark already stands for it."
                ),
            },
        ),
    ),
    sees="You see all your guesses and their marks.",
    acts={"{WORD}": "guess this word"},
    ends="It is over when you guess the secret word, or after {turns:guess/guesses}.",
    constants={"1": "the reward of the word", "0": "the reward without it"},
)


class Wordle(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    guess = guess
    counted = "words that can be the secret one"
    uncertainty = counted_by(left)
    masked = False
    paid_at_end = True
    kind = ("puzzles", "text")
    verified = "the marks of TextArena and PAPRIKA for all pairs of words; the best play of short lists by enumeration"
    variants = (dict(letters=4, words=20, turns=3), dict(letters=10, turns=10, repeats="ignored"))
    shown = "informed"
    cost = 10
    player_page = PAGE

    def __init__(
        self,
        letters: Annotated[int, Between(SHORTEST, LONGEST)] = 5,
        words: Annotated[int, Between(2, MOST)] = MOST,
        turns: Annotated[int, Between(1, 20)] = 6,
        repeats: Literal["counted", "ignored"] = "counted",
    ):
        self.define(
            agents=["agent"],
            actions=[WORDS[letters][k * MOST // words] for k in range(words)],
            observation=Dict(
                {
                    "guesses": Box(NONE, words - 1, (turns,), np.int16),
                    "spelled": Box(NONE, 25, (turns, letters), np.int8),
                    "marks": Box(NONE, GREEN, (turns, letters), np.int8),
                }
            ),
            fields=fields(letters, words, turns),
            params={"words": words, "repeats": limited(REPEATS.index(repeats), COUNTED, IGNORED)},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        turns, letters = s.marks.shape
        if ((s.guesses != NONE) != (np.arange(turns) < s.turn)).any() or (s.marks[s.turn :] != NONE).any():
            return "guesses are not those of the turns"
        if not possible(s, s.word):
            return "marks are not those of a guess"
        if (s.guesses[: max(0, s.turn - 1)] == s.word).any():
            return "the game went on after the secret word"
        over = s.turn == turns or (s.turn > 0 and s.guesses[s.turn - 1] == s.word)
        return "the game is over" if over and not s.terminated[0] else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "word")
        s.word = read_name(level["word"], f"{self.id}: the level's word", self.action_names[0])

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"word": self.action_names[0][s.word]}

    def text(self, s: Any, agent: int) -> str:
        turns = len(s.marks)
        names = self.action_names[0]
        lines = ["Your guesses so far:"]
        for turn in range(int(s.turn)):
            word = names[s.guesses[turn]]
            marks = ", ".join(f"{letter} {MARKS[m]}" for letter, m in zip(word, s.marks[turn]))
            lines.append(f"{turn + 1}. {word}: {marks}")
        if s.turn == 0:
            lines.append("none")
        if not s.terminated[0]:
            lines.append(f"Guess {s.turn + 1} of {turns}.")
        elif s.guesses[s.turn - 1] == s.word:
            lines.append("That is the word.")
        else:
            lines.append(f"There are no guesses left. The word was {names[s.word]}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        turns, letters = s.marks.shape
        names = self.action_names[0]
        columns, rows = ceil(len(names) / ROWS), max(turns + 0.4, ROWS * ROW + 0.3)
        scene = Scene(letters + 0.8 + columns * (letters * LETTER + 0.3), rows)
        scene.add(Rect(0, 0, letters + 0.4, turns + 0.4, "panel", radius=0.2))
        for turn in range(turns):
            for k in range(letters):
                if turn < s.turn:
                    color = COLORS[s.marks[turn, k]]
                    letter = names[s.guesses[turn]][k].upper()
                    scene.add(
                        Rect(0.25 + k, 0.25 + turn, 0.9, 0.9, color, radius=0.1),
                        Label(0.7 + k, 0.7 + turn, letter, 0.6, text_on(color), bold=True),
                    )
                else:
                    scene.add(Rect(0.25 + k, 0.25 + turn, 0.9, 0.9, None, "line", 0.04, 0.1, "."))
        return self._listed(scene, s, agent)

    def _listed(self, scene: Scene, s: Any, agent: int | None) -> Scene:
        """The list of words; spectators see which are possible, the agent sees which it has guessed."""
        turns, letters = s.marks.shape
        names, guessed = self.action_names[0], set(s.guesses[: s.turn].tolist())
        known = agent is None or bool(s.terminated[0])
        left = {k for k in range(len(names)) if (possible(s, k) if agent is None else k not in guessed)}
        for k, name in enumerate(names):
            x, y = letters + 0.8 + k // ROWS * (letters * LETTER + 0.3), (k % ROWS + 0.5) * ROW + 0.15
            secret = known and k == s.word
            color = "orange" if secret else "ink" if k in left else "muted"
            scene.add(Label(x, y, name, 0.36, color, "left", bold=k in left, terminal=False))
        state = f"guess {s.turn + 1} of {turns}"
        if s.terminated[0]:
            state = "solved" if s.guesses[s.turn - 1] == s.word else "over"
        count = f"words left: {len(left)}, {log2(float(len(left))):.1f} bits" if agent is None else ""
        footer(scene, f"{state}; the word: {names[s.word]}" if known else state, count)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        letters, names = s.marks.shape[1], self.action_names[0]
        column, row = (x - letters - 0.7) // (letters * LETTER + 0.3), (y - 0.15) // ROW
        k = int(column * ROWS + row)
        return k if column >= 0 and 0 <= row < ROWS and k < len(names) else None


env, raw_env, parallel_env = pettingzoo_forms(Wordle)
