"""Preferences: write in the style that a user likes, which shows only in the user's edits.

**Rules.** In each round, the writer gets a document of a hidden topic and writes a draft about it. A draft has a style:
a choice between two words for each of F features. For each topic, the user has a taste: a style, drawn uniformly and
hidden. The user compares the draft with the wanted style. If more than `tolerance` features differ, the user corrects
all of them; otherwise, the draft stays as it is. Each correction costs 1. The writer sees the corrected draft.

- The topic of each document is drawn uniformly. The centers of the topics lie evenly on a circle in the unit square. A
  document lies at the center of its topic plus normal noise with standard deviation `spread` in both directions, moved
  to the edge of the square if it is outside.
- The wanted style is the taste for the topic, but each feature is the other one with probability `noise`.
- After each round, each feature of each taste changes with probability `drift`.

**Agents.** `writer`. The user belongs to the rules.

**Observation.** Dict. Styles are observed as a number for each feature: 0 for its first word, 1 for its second.

| part | space | content |
|---|---|---|
| turn | Box (1,) int16 | rounds that have ended |
| left | Box (1,) int16 | rounds left, the present one included |
| rules | Box (4,) float64 | `spread`, `noise`, `drift`, `tolerance` |
| centers | Box (topics, 2) float64 | the center of each topic |
| document | Box (2,) float64 | the place of the document to write about |
| last | Box (2,) float64 | the place of the last document; 0 before the second round |
| draft | Box (features,) int8 | the style of the last draft; -1 before the second round |
| edit | Box (features,) int8 | its style after the user's corrections; -1 before the second round |

**Actions.** Discrete (2 ** features). The name of an action is its style: a word for each feature, in the order of this
table. The features are the binary digits of the action's number, the first one highest. With 6 features:

| action | name |
|---|---|
| 0 | `long prose formal plain neutral serious` |
| 1 | `long prose formal plain neutral playful` |
| 2 | `long prose formal plain personal serious` |
| ... | ... |
| 63 | `short bullets casual vivid personal playful` |

The seventh and eighth features are `statements` or `questions`, and `factual` or `narrative`.

**Window.** A click on a tile writes in its style. The squares of a tile are the features, row by row; dark squares are
second words.

**Rewards.** Minus the number of corrections.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `topics` | 5 | number of topics, from 1 to 10 |
| `features` | 6 | number of features F, from 1 to 8 |
| `rounds` | 200 | number of rounds T, from 1 to 500 |
| `spread` | 0.05 | standard deviation of documents around the center of their topic, from 0 to 1 |
| `noise` | 0.0 | probability that the user wants the other word of a feature, from 0 to 0.5 |
| `drift` | 0.0 | probability that a feature of a taste changes after a round, from 0 to 0.5 |
| `tolerance` | 0 | wrong features that the user accepts, from 0 to 8 |

**Level.** ``{"tastes": [[0, 1, 1, 0, 0, 1], ...]}``: the user's taste for each topic at the start.

**Known values.** Expected numbers of corrections, for C topics.

- Without learning, T F / 2: 600 by default. With a tolerance of m, T times the sum of k binom(F, k) / 2^F over k > m.
- A writer that repeats the last edit of the same topic: C (1 - (1 - 1/C)^T) F / 2, which is 15 by default.
- The same writer with noise n and drift d: F times the sum over rounds t = 0, 1, ... of (1 - 1/C)^t / 2 plus the sum
  over ages a = 1, ..., t of (1/C) (1 - 1/C)^(a - 1) (1 - (1 - 2d)^a (1 - 2n)^2) / 2.
- A writer that knows the tastes: T F n.

**Differences.** From the code of PRELUDE:

- There, language models write texts, edit them and judge them, and corrections cost the edit distance of words. Here,
  styles are binary features, the user is exact, and each correction costs 1.
- There, a document is a text of one of five sources (summaries) or four (mails), which an encoder embeds. Here, it is a
  point in the unit square.
- There, all sources have equally many documents, in random order. Here, each topic is drawn independently.
- There, tastes are fixed texts. Here, they are drawn, and may drift or be noisy.

**Source.** Gao, Taymanov, Salinas, Mineiro and Misra, "Aligning LLM Agents by Learning Latent Preference from User
Edits", 2024 (PRELUDE, and CIPHER as the policy `nearest`), and its code, gao-g/prelude at 85c3061.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit import plots
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene

#: The features of a style: the name of each and its two words.
FEATURES: dict[str, tuple[str, str]] = {
    "length": ("long", "short"),
    "form": ("prose", "bullets"),
    "tone": ("formal", "casual"),
    "language": ("plain", "vivid"),
    "voice": ("neutral", "personal"),
    "mood": ("serious", "playful"),
    "sentences": ("statements", "questions"),
    "content": ("factual", "narrative"),
}

#: The largest numbers of topics, features and rounds.
MOST_TOPICS, MOST_FEATURES, LONGEST = 10, len(FEATURES), 500

#: The distance of the centers of topics from the middle of the unit square.
RADIUS = 0.35

#: The feature of a draft that has not been written.
NONE = -1


def fields(topics: int, features: int, rounds: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("turn", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("topic", below(np.int64, topics)),  # of the present document
        ("start", flag(), (topics, features)),  # the tastes at the start: the level
        ("tastes", flag(), (topics, features)),  # the present tastes
        ("documents", within(np.float64, 0, 1), (rounds, 2)),  # the place of each so far, 0 for later ones
        ("drafts", below(np.int64, 2**features), (rounds,)),  # the style of each, 0 for later ones
        ("edits", below(np.int64, 2**features), (rounds,)),  # the same after corrections
        ("total", within(np.int64, 0, rounds * features)),  # corrections so far
    ]


@kernel
def reset(s):
    s.turn = 0
    s.total = 0
    for t in range(s.drafts.shape[0]):
        s.documents[t, 0] = 0.0
        s.documents[t, 1] = 0.0
        s.drafts[t] = 0
        s.edits[t] = 0
    for c in range(s.tastes.shape[0]):
        for j in range(s.tastes.shape[1]):
            if s.level_given == 0:
                s.start[c, j] = random.randint(s, 2)
            s.tastes[c, j] = s.start[c, j]
    draw_document(s)


@kernel
def center(topic, topics, axis):
    """A coordinate of the center of a topic."""
    turns = topic / topics
    return 0.5 + RADIUS * (cos_turns(turns) if axis == 0 else sin_turns(turns))


@kernel
def draw_document(s):
    """Draw the topic and the place of the document of the present round."""
    topics = s.tastes.shape[0]
    s.topic = random.randint(s, topics)
    for axis in range(2):
        place = center(s.topic, topics, axis)
        if s.params.spread > 0.0:
            place += s.params.spread * random.normal(s)
        s.documents[s.turn, axis] = min(max(place, 0.0), 1.0)


@kernel
def feature(style, j, features):
    """Feature j of a style."""
    return (style >> (features - 1 - j)) & 1


@kernel
def step(s, actions, rewards):
    features = s.tastes.shape[1]
    draft, wanted, wrong = actions[0], 0, 0
    for j in range(features):
        bit = np.int64(s.tastes[s.topic, j])
        if random.bernoulli(s, s.params.noise):
            bit = 1 - bit
        wanted = 2 * wanted + bit
        wrong += feature(draft, j, features) != bit
    if wrong <= s.params.tolerance:
        wanted, wrong = draft, 0
    s.drafts[s.turn] = draft
    s.edits[s.turn] = wanted
    s.total += wrong
    rewards[0] = -float(wrong)
    for c in range(s.tastes.shape[0]):
        for j in range(features):
            if random.bernoulli(s, s.params.drift):
                s.tastes[c, j] = 1 - s.tastes[c, j]
    s.turn += 1
    if s.turn == s.drafts.shape[0]:
        s.terminated[0] = 1
    else:
        draw_document(s)


@kernel
def observe(s, agent, out):
    rounds, topics, features = s.drafts.shape[0], s.tastes.shape[0], s.tastes.shape[1]
    out.turn[0] = s.turn
    out.left[0] = rounds - s.turn
    out.rules[0] = s.params.spread
    out.rules[1] = s.params.noise
    out.rules[2] = s.params.drift
    out.rules[3] = s.params.tolerance
    for c in range(topics):
        for axis in range(2):
            out.centers[c, axis] = center(c, topics, axis)
    now = s.turn if s.turn < rounds else rounds - 1
    for axis in range(2):
        out.document[axis] = s.documents[now, axis]
        out.last[axis] = s.documents[s.turn - 1, axis] if s.turn > 0 else 0.0
    for j in range(features):
        out.draft[j] = feature(s.drafts[s.turn - 1], j, features) if s.turn > 0 else NONE
        out.edit[j] = feature(s.edits[s.turn - 1], j, features) if s.turn > 0 else NONE


PAGE = Page(
    role="You write drafts for a user who likes a certain style and does not say which.",
    goal="Each correction that the user makes costs you 1.",
    rules=(
        "You play {rounds:round}. In a round you get a document and write a draft about it in a style of your choice. "
        "A style has a word for each of {features:feature}: {pairs}.",
        (
            "The documents belong to {topics:topic}. For each topic, the user has a taste, which is a style drawn by "
            "lot.",
            "The topic of each document is drawn by lot. You see only where the document lies on a square with sides "
            "of length 1: near the center of its topic, from which it deviates by {spread} in each direction (standard "
            "deviation). Centers: {centers}.",
        ),
        (
            When(
                "tolerance",
                "If more features of your draft than {tolerance} are wrong, the user corrects all that are; otherwise "
                "it leaves the draft as it is.",
                "The user corrects all features of your draft that are not as it wants them.",
            ),
            When("noise", "It wants the other word of a feature of its taste with probability {noise}."),
            When("drift", "After a round, each feature of each taste changes with probability {drift}."),
        ),
    ),
    sees="After each round you see the draft as the user has corrected it.",
    acts={"{STYLE}": "write in this style: a word for each feature, in the order above"},
    ends="It is over after {rounds:round}.",
    constants={"1": "the cost of a correction, and the side of the square"},
)


class Preferences(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    masked = False
    kind = ("preferences", "text")
    verified = "closed forms; exact enumeration of chance; an exhaustive sum over hidden tastes"
    variants = (
        dict(topics=3, features=3, rounds=12, spread=0.2, noise=0.1, drift=0.05, tolerance=1),
        dict(topics=1, features=8, rounds=5, spread=0.0),
    )
    shown = "nearest"
    level_fields = {"tastes": "start"}

    def __init__(
        self,
        topics: Annotated[int, Between(1, MOST_TOPICS)] = 5,
        features: Annotated[int, Between(1, MOST_FEATURES)] = 6,
        rounds: Annotated[int, Horizon(1, LONGEST)] = 200,
        spread: Annotated[float, Between(0, 1)] = 0.05,
        noise: Annotated[float, Between(0, 0.5)] = 0.0,
        drift: Annotated[float, Between(0, 0.5)] = 0.0,
        tolerance: Annotated[int, Between(0, MOST_FEATURES)] = 0,
    ):
        if tolerance > features:
            raise ParameterError(f"Preferences: tolerance={tolerance} must be at most features={features}")
        words = dict(list(FEATURES.items())[:features])
        label = " ".join("{" + name + "}" for name in words)
        self.tools = ((Tool("write", label, "Write the draft in this style.", words),),)
        style = Box(NONE, 1, (features,), np.int8)
        self.define(
            agents=["writer"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                turn=Box(0, rounds, (1,), np.int16),
                left=Box(0, rounds, (1,), np.int16),
                rules=Box(0, MOST_FEATURES, (4,), np.float64),
                centers=Box(0, 1, (topics, 2), np.float64),
                document=Box(0, 1, (2,), np.float64),
                last=Box(0, 1, (2,), np.float64),
                draft=style,
                edit=style,
            ),
            fields=fields(topics, features, rounds),
            params={
                "spread": float(spread),
                "noise": float(noise),
                "drift": float(drift),
                "tolerance": limited(tolerance, 0, features),
            },
            reward_range=(-float(features), 0.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return "all rounds have been played" if s.turn >= len(s.drafts) + s.terminated[0] else None

    def words(self, style: int) -> str:
        """A style in words."""
        return self.action_names[0][style]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        topics, features = s.tastes.shape
        places = [f"({center(c, topics, 0):.3f}, {center(c, topics, 1):.3f})" for c in range(topics)]
        pairs = [" or ".join(pair) for pair in list(FEATURES.values())[:features]]
        return {"pairs": ", ".join(pairs), "centers": listed(places)}

    def text(self, s: Any, agent: int) -> str:
        rounds = len(s.drafts)
        lines = []
        for t in range(max(0, s.turn - SHOWN), s.turn):
            x, y = s.documents[t]
            fixed = self.corrections(s, t)
            end = f"the user made it `{self.words(s.edits[t])}`, cost {fixed}" if fixed else "the user left it"
            lines.append(
                f"- Round {t + 1}, document at ({x:.3f}, {y:.3f}): you wrote `{self.words(s.drafts[t])}`; {end}."
            )
        if s.turn == rounds:
            return "\n".join([*lines, f"It is over. The user made {s.total} corrections."])
        x, y = s.documents[s.turn]
        return "\n".join([*lines, f"Round {s.turn + 1} of {rounds}: the document is at ({x:.3f}, {y:.3f})."])

    @staticmethod
    def corrections(s: Any, t: int) -> int:
        """The corrections in a round that has ended."""
        return int(s.drafts[t] ^ s.edits[t]).bit_count()

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        columns, width, height = tiles(len(self.action_names[0]))
        column, row = (x - PALETTE[0]) // width, (y - PALETTE[1]) // height
        rows = len(self.action_names[0]) // columns
        return int(row * columns + column) if 0 <= column < columns and 0 <= row < rows else None

    # The picture: documents, the last edit, corrections by round; styles to click on, or the user's tastes.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, features = len(s.drafts), s.tastes.shape[1]
        scene = Scene(22, 14)
        over = s.turn == rounds
        scene.add(Label(0.6, 0.85, "Preferences", 0.65, align="left", bold=True))
        scene.add(Label(21.4, 0.85, "over" if over else f"round {s.turn + 1} of {rounds}", 0.5, "muted", "right"))
        self._draw_documents(scene, s)
        self._draw_edit(scene, s)
        if agent is None or over:
            self._draw_tastes(scene, s)
        else:
            self._draw_palette(scene, s)
        costs = np.cumsum([self.corrections(s, t) for t in range(s.turn)]).tolist()
        idle = [features / 2 * (t + 1) for t in range(s.turn)]
        plots.curves(
            scene,
            (0.5, 9.2, 21, 4.4),
            f"corrections: {s.total}",
            [(idle, "grey", "random drafts, on average"), (costs, "blue", "this writer")],
            rounds,
            (0.0, max(s.total, features / 2 * max(s.turn, 1))),
        )
        return scene

    def _draw_documents(self, scene: Scene, s: Any) -> None:
        """The unit square: topics as rings, documents coloured by their corrections, the present one gold."""
        left, top, side = 0.5, 1.5, 7.4
        scene.add(Rect(left, top, side, side, "panel", radius=0.25))
        scene.add(Label(left + 0.3, top + 0.4, "documents", 0.38, "muted", "left"))

        def place(x: float, y: float) -> tuple[float, float]:
            return left + 0.4 + (side - 0.8) * x, top + 0.4 + (side - 0.8) * y

        topics = len(s.tastes)
        for c in range(topics):
            x, y = place(center(c, topics, 0), center(c, topics, 1))
            scene.add(Circle(x, y, 0.85, None, "line", 0.06, glyph=""))
            scene.add(Label(x, y, chr(65 + c), 0.7, "muted", bold=True))
        for t in range(s.turn):
            fixed = self.corrections(s, t)
            level = 0 if fixed == 0 else 1 if 2 * fixed <= s.tastes.shape[1] else 2
            size, color = 0.09 if s.turn > 40 else 0.13, ("good", "gold", "bad")[level]
            scene.add(Circle(*place(*s.documents[t]), size, color, glyph=".ox"[level]))
        if s.turn < len(s.drafts):
            x, y = place(*s.documents[s.turn])
            scene.add(Rect(x - 0.2, y - 0.26, 0.4, 0.52, "white", "black", 0.05, radius=0.05, glyph="D"))
            for k in range(3):
                scene.add(Rect(x - 0.12, y - 0.15 + 0.13 * k, 0.24, 0.04, "black"))

    def _draw_edit(self, scene: Scene, s: Any) -> None:
        """The last draft: a row for each feature, with the user's word beside a wrong one."""
        left, top, width, features = 8.2, 1.5, 4.9, s.tastes.shape[1]
        scene.add(Rect(left, top, width, 7.4, "panel", radius=0.25))
        title = f"round {s.turn}: draft, edit" if s.turn else "nothing written yet"
        scene.add(Label(left + 0.3, top + 0.4, title, 0.38, "muted", "left"))
        pace = 6.5 / features
        size = min(0.42, 0.36 * pace)
        for j, pair in enumerate(list(FEATURES.values())[:features]):
            y = top + 0.8 + pace * (j + 0.5)
            if not s.turn:
                scene.add(Label(left + 0.4, y, f"{pair[0]} / {pair[1]}", size, "muted", "left"))
                continue
            had, has = (int(feature(styles[s.turn - 1], j, features)) for styles in (s.drafts, s.edits))
            wrong = had != has
            scene.add(Rect(left + 0.2, y - 0.42 * pace, 0.16, 0.84 * pace, "bad" if wrong else "good", radius=0.06))
            scene.add(Label(left + 0.6, y, pair[had], size, "muted" if wrong else "ink", "left"))
            if wrong:
                scene.add(Label(left + width - 0.3, y, f"→ {pair[has]}", size, "ink", "right", bold=True))

    def _draw_tastes(self, scene: Scene, s: Any) -> None:
        """The user's tastes: a row of words for each topic; the topic of the present document is framed."""
        left, top, width, (topics, features) = 13.4, 1.5, 8.1, s.tastes.shape
        scene.add(Rect(left, top, width, 7.4, "panel", radius=0.25))
        scene.add(Label(left + 0.3, top + 0.4, "the user's tastes", 0.38, "muted", "left"))
        pace, across = 6.4 / max(topics, 4), (width - 1.3) / max(features, 4)
        size = min(0.34, 0.5 * pace, 1.7 * across / 9)
        for c in range(topics):
            y = top + 0.85 + pace * c
            now = c == s.topic and s.turn < len(s.drafts)
            scene.add(Label(left + 0.6, y + pace / 2, chr(65 + c), min(0.5, 0.6 * pace), bold=True))
            for j in range(features):
                word = list(FEATURES.values())[j][s.tastes[c, j]]
                second = s.tastes[c, j] == 1
                x = left + 1.1 + across * j
                fill, ink = ("deep", "white") if second else ("soil", "black")
                scene.add(
                    Rect(x + 0.04, y + 0.06, across - 0.08, pace - 0.12, fill, "gold" if now else None, 0.08, 0.1)
                )
                scene.add(Label(x + across / 2, y + pace / 2, word, size, ink, terminal=False))

    def _draw_palette(self, scene: Scene, s: Any) -> None:
        """A tile for each style, to click on; that of the last draft is framed blue, that of its edit gold."""
        features, styles = s.tastes.shape[1], len(self.action_names[0])
        columns, width, height = tiles(styles)
        scene.add(Rect(13.4, 1.5, 8.1, 7.4, "panel", radius=0.25))
        scene.add(Label(13.7, 1.9, "styles to write in", 0.38, "muted", "left"))
        across = (features + 1) // 2
        cell = min((width - 0.16) / across, (height - 0.16) / 2)
        for style in range(styles):
            x, y = PALETTE[0] + width * (style % columns), PALETTE[1] + height * (style // columns)
            if s.turn and style in (s.drafts[s.turn - 1], s.edits[s.turn - 1]):
                color = "gold" if style == s.edits[s.turn - 1] else "blue"
                scene.add(Rect(x + 0.01, y + 0.01, width - 0.02, height - 0.02, color, radius=0.06))
            x0, y0 = x + (width - across * cell) / 2, y + (height - 2 * cell) / 2
            for j in range(features):
                fill = "deep" if feature(style, j, features) else "soil"
                gap = 0.06 * cell
                px, py = x0 + cell * (j % across), y0 + cell * (j // across)
                scene.add(Rect(px + gap, py + gap, cell - 2 * gap, cell - 2 * gap, fill))


#: Rounds that the text lists.
SHOWN = 8

#: Left, top, width and height of the styles to click on.
PALETTE = (13.6, 2.3, 7.7, 6.4)


def tiles(styles: int) -> tuple[int, float, float]:
    """The columns of tiles for a number of styles, a power of 2, and the width and height of a tile."""
    columns = 2 ** ((styles.bit_length() - 1) // 2)
    return columns, PALETTE[2] / columns, PALETTE[3] / (styles // columns)


env, raw_env, parallel_env = pettingzoo_forms(Preferences)
