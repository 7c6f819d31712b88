"""Page: a replay as one HTML file that plays in any browser, without a server or a network.

Scenes are embedded as shapes in the world's own units. A *sprite* is a shape without its place. An *item* is a sprite
at a place. A frame is a list of items, stored as its edits to the previous frame. Other lists (legal actions, lines of
text, observed numbers) are left to the compression, which handles them better. The data are one JSON object, compressed
and in base64; the script in ``page.html`` reads it, and ``draw.js`` draws it as `envsuite.render.frames` does.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from bisect import bisect_left
from collections.abc import Hashable
from importlib.resources import files
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from envsuite import registry
from envsuite.core.errors import RenderError
from envsuite.core.world import World, heard
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, shown
from envsuite.render.theme import THEMES, agent_color

if TYPE_CHECKING:
    from envsuite.episodes.replay import Moment, Replay

#: Bytes of a page, at most, unless another limit is given.
LIMIT = 1_000_000

#: Places are whole numbers of such parts of a unit.
UNIT = 1000

#: The number of steps at which an agent's picture is compared with the spectators', to find out whether it differs.
_SAMPLES = 16

#: The largest part of an observation that is shown, in numbers.
_MOST_NUMBERS = 1000


def page(replay: Replay, limit: int = LIMIT) -> str:
    """A replay as an HTML page of about `limit` bytes at most.

    Pictures, actions, masks, rewards and messages are always there, and words that agents said. Their pages for
    players, their own pictures, texts and observations follow in this order as long as the page stays below the limit;
    the page lists the missing parts.
    """
    return document(replay.world.id, packed(replay, limit - len(_template()) - len(_font())))


def packed(replay: Replay, limit: int) -> str:
    """The data of a replay for a page, in base64; about `limit` bytes at most, see `page`."""
    data, extras = _content(replay)
    found, missing = _packed(data), []
    for name, extra in extras.items():
        larger = _packed({**data, **extra})
        if len(larger) > limit:
            missing.append(name)
        else:
            data, found = {**data, **extra}, larger
    return _packed({**data, "missing": missing}) if missing else found


def document(title: str, data: str) -> str:
    """The page with this title and these data, as `packed` gives them."""
    made = _template()
    for name, part in {"TITLE": html.escape(title), "FONT": _font(), "DATA": data}.items():
        made = made.replace(f"<!--{name}-->", part)
    return made


def frame(replay: Replay, height: int = 720) -> str:
    """The page as a frame of `height` pixels for a notebook."""
    return (
        f'<iframe srcdoc="{html.escape(page(replay))}" style="width: 100%; height: {height}px; border: 0" '
        f'title="{html.escape(replay.world.id)}"></iframe>'
    )


def _template() -> str:
    page, draw = ((files("envsuite.render") / name).read_text("utf-8") for name in ("page.html", "draw.js"))
    return page.replace("<!--DRAW-->", draw)


def font() -> bytes:
    """The font of pictures, Aileron, which Pillow carries and which is in the public domain."""
    from envsuite.render import letters as text

    return text.file(False)


def _font() -> str:
    return base64.b64encode(font()).decode()


def _packed(data: dict[str, Any]) -> str:
    return compressed(json.dumps(data, separators=(",", ":")))


def compressed(text: str) -> str:
    """A text as pages hold it: compressed, in base64."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


class Edits:
    """A sequence of lists, each kept as its edits to the one before.

    An entry of `edits` has for each edit, from front to back: the number of elements to keep since the last edit, the
    number to drop, the number to insert, and the inserted elements. The rest after the last edit is kept.
    """

    def __init__(self) -> None:
        self.edits: list[list[int]] = []
        self.last: list[int] = []

    def add(self, new: list[int]) -> None:
        """Append a list of whole numbers."""
        self.edits.append(_edits(self.last, new))
        self.last = new


def _edits(old: list[int], new: list[int]) -> list[int]:
    first, end_old, end_new = 0, len(old), len(new)
    while first < end_old and first < end_new and old[first] == new[first]:
        first += 1
    while end_old > first and end_new > first and old[end_old - 1] == new[end_new - 1]:
        end_old, end_new = end_old - 1, end_new - 1
    found: list[int] = []
    at_old = at_new = kept = first
    for i, j in [*_common(old, new, first, end_old, end_new), (end_old, end_new)]:
        if i > at_old or j > at_new:
            found += [kept, i - at_old, j - at_new, *new[at_new:j]]
            kept = 0
        at_old, at_new, kept = i + 1, j + 1, kept + 1
    return found


def _common(old: list[int], new: list[int], first: int, end_old: int, end_new: int) -> list[tuple[int, int]]:
    """A longest run of elements, not necessarily neighbors, in the same order in both; places in both."""
    places: dict[int, list[int]] = {}
    for i in range(end_old - 1, first - 1, -1):
        places.setdefault(old[i], []).append(i)
    tops: list[int] = []  # the least place in `old` at which a run of each length can end
    ends: list[int] = []  # and which pair that is
    pairs: list[tuple[int, int, int]] = []  # places, and the pair before
    for j in range(first, end_new):
        waiting = places.get(new[j])
        if waiting:
            i = waiting.pop()
            length = bisect_left(tops, i)
            pairs.append((i, j, ends[length - 1] if length else -1))
            tops[length : length + 1] = [i]
            ends[length : length + 1] = [len(pairs) - 1]
    found, at = [], ends[-1] if ends else -1
    while at >= 0:
        i, j, at = pairs[at]
        found.append((i, j))
    return found[::-1]


class _Table:
    """Things by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def __call__(self, thing: Hashable) -> int:
        return self.numbers.setdefault(thing, len(self.numbers))

    def __iter__(self) -> Any:
        return iter(self.numbers)


class Film:
    """The pictures of one viewer."""

    def __init__(self) -> None:
        self.sprites, self.items, self.frames, self.grounds = _Table(), _Table(), Edits(), Edits()
        self.known: dict[Any, int] = {}  # the items of shapes seen before
        self.last: list[Shape] = []

    def add(self, scene: Scene) -> None:
        """The next picture."""
        if not (scene.width > 0 and scene.height > 0):
            raise RenderError(f"a scene of {scene.width} x {scene.height} units has nothing to show")
        self.grounds.add([_whole(scene.width), _whole(scene.height), self.sprites(("g", scene.background))])
        # Many shapes are the very objects of the last picture, such as the cells of a board.
        before, known = self.last, self.frames.last
        numbers = [n if new is old else self.number(new) for new, old, n in zip(scene.shapes, before, known)]
        self.frames.add(numbers + [self.number(shape) for shape in scene.shapes[len(numbers) :]])
        self.last = scene.shapes

    def number(self, shape: Shape) -> int:
        """The number of a shape's item."""
        key: Any = shape
        if isinstance(shape, (Polygon, Line)):  # whose points may be a list, which has no hash
            ink = shape.color if isinstance(shape, Line) else (shape.fill, shape.outline, shape.line)
            key = tuple(shape.points), ink, getattr(shape, "width", None)
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = self.items(self.item(shape))
        return number

    def item(self, shape: Shape) -> tuple[int, int, int]:
        """A shape as the number of its sprite and its place."""
        sprite: tuple
        if isinstance(shape, (Polygon, Line)):
            points = [_whole(part) for point in shape.points for part in point]
            x, y = points[:2]
            relative = tuple(part - (y if k % 2 else x) for k, part in enumerate(points))
            if isinstance(shape, Line):
                sprite = "l", shape.color, _whole(shape.width), relative
            else:
                sprite = "p", *_paint(shape), relative
            return self.sprites(sprite), x, y
        x, y = _whole(shape.x), _whole(shape.y)
        if isinstance(shape, Rect):
            # As far as the far edges are, so that neighbors meet.
            size = _whole(shape.x + shape.width) - x, _whole(shape.y + shape.height) - y
            sprite = "r", *_paint(shape), *size, _whole(shape.radius)
        elif isinstance(shape, Circle):
            sprite = "c", *_paint(shape), _whole(shape.radius)
        else:
            width = None if shape.width is None else _whole(shape.width)
            sprite = "t", shape.color, _whole(shape.size), shape.align, int(shape.bold), width, shape.text
        return self.sprites(sprite), x, y

    def content(self) -> dict[str, Any]:
        """As the page reads it."""
        return {
            "grounds": self.grounds.edits,
            "frames": self.frames.edits,
            "sprites": list(self.sprites),
            "items": [list(column) for column in zip(*self.items)] or [[], [], []],
        }


def _whole(value: float) -> int:
    return round(UNIT * float(value))


def _paint(shape: Rect | Circle | Polygon) -> tuple[str | None, str | None, int]:
    return shape.fill, shape.outline, _whole(shape.line)


def _content(replay: Replay) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The data of every page, and the further data that a page holds if there is room, by name."""
    world = replay.world
    count = len(world.agents)
    lines = _Table()
    own = _own_pictures(replay)
    # An agent's pictures have sprites and items of their own, so that they can be left out.
    films: dict[int | None, Film] = {viewer: Film() for viewer in (None, *own)}
    masks: list[list[list[int]]] = [[] for _ in range(count)]
    texts: list[list[list[int]]] = [[] for _ in range(count)]
    views: list[list[list[int]]] = [[] for _ in range(count)]
    rewards: list[list[float]] = [[] for _ in range(count)]
    actions: list[list[int | str | None]] = [[] for _ in range(count)]
    ends: list[int | None] = [None] * count
    messages: list[tuple[int, int, str]] = []
    before: list[tuple[int, str]] = []
    has_text, has_views = True, any(_parts(world, a) for a in range(count))
    rules: list[str] = []
    for moment in replay.play():
        s = moment.record
        if moment.step == 0 and world.player_page is not None:
            rules = [world.prompt(s, a) for a in range(count)]
        for viewer, film in films.items():
            film.add(shown(world, s, viewer))
        for a in range(count):
            masks[a].append(np.flatnonzero(moment.masks[a]).tolist())
            rewards[a].append(float(moment.rewards[a]))
            if moment.actions is not None:
                actions[a].append(_action(world, a, moment.actions[a]) if moment.acting[a] else None)
            if ends[a] is None and (moment.terminations[a] or moment.truncations[a]):
                ends[a] = moment.step
            if has_text:
                try:
                    texts[a].append([lines(line) for line in world.text(s, a).splitlines()])
                except NotImplementedError:
                    has_text = False
            if has_views:
                views[a].append(_view(world, moment, a))
        now = world.messages(s)
        messages += [(moment.step, speaker, words) for speaker, words in heard(before, now)]
        before = now
        if replay.words is not None and moment.step:
            said = replay.words.at(moment.step - 1)
            messages += [(moment.step, line.agent, f'"{line.text}"') for line in said]
    names = _Table()
    data = {
        "title": world.id,
        "about": _about(replay),
        "steps": len(replay),
        "unit": UNIT,
        "colors": THEMES,
        "agents": [[agent, agent_color(a), replay.players.get(agent, "")] for a, agent in enumerate(world.agents)],
        "names": [names(tuple(one)) for one in world.action_names],
        "actionNames": list(names),
        "film": films[None].content(),
        "actions": actions,
        "masks": masks,
        "rewards": rewards,
        "ends": ends,
        "ending": _ending(replay),
        "messages": messages,
    }
    extras: dict[str, dict[str, Any]] = {}
    if rules:
        pages = _Table()
        extras["pages for players"] = {"rules": [pages(one) for one in rules], "pages": list(pages)}
    if own:
        extras["agents' own pictures"] = {"seats": {a: films[a].content() for a in own}}
    if has_text:
        extras["texts"] = {"texts": texts, "lines": list(lines)}
    if has_views:
        parts = [_parts(world, a) for a in range(count)]
        extras["observations"] = {"views": views, "parts": parts}
    return data, extras


def _about(replay: Replay) -> list[tuple[str, str]]:
    """Facts of the replay, as names and values."""
    start, world = replay.start, replay.world
    facts = {"seed": "none: from a state" if start.seed is None else str(start.seed)}
    if start.level is not None:
        facts["level"] = "given"
    facts |= {name: str(value) for name, value in world.parameters.items() if value is not None}
    facts |= {f"{name} (tuned)": str(value) for name, value in start.tuned.items()}
    return [*facts.items(), ("recorded in", replay.interface), ("envsuite", registry.__version__)]


def _ending(replay: Replay) -> str:
    """The result of a replay in a sentence: the winner, or the agent with the largest return."""
    world, returns = replay.world, np.round(replay.returns, 9) + 0.0
    if not replay.over:
        return "The recording ends here; the episode is not over."
    best = [agent for agent, value in zip(world.agents, returns) if value == returns.max()]
    if len(best) == len(returns):
        draw = world.utility == "zero-sum" and len(returns) > 1
        return f"{'A draw: all get' if draw else 'All get' if len(returns) > 1 else best[0] + ' gets'} {returns[0]:g}."
    scores = ", ".join(f"{agent} {value:g}" for agent, value in zip(world.agents, returns))
    several = "win" if len(best) > 1 else "wins"
    most = "get the most" if len(best) > 1 else "gets the most"
    return f"{', '.join(best)} {several if world.utility == 'zero-sum' else most}: {scores}."


def _own_pictures(replay: Replay) -> list[int]:
    """The agents that have a picture of their own, other than the spectators', at some of a few steps."""
    world = replay.world
    steps = sorted({round(k * len(replay) / (_SAMPLES - 1)) for k in range(_SAMPLES)})
    found: set[int] = set()
    for step in steps:
        record = replay.at(step).record
        everything = shown(world, record)
        found |= {a for a in range(len(world.agents)) if a not in found and shown(world, record, a) != everything}
    return sorted(found)


# Observations: what is shown of them are parts that are lists or grids of small whole numbers.


def _parts(world: Any, a: int) -> list[tuple[str, tuple[int, ...]]]:
    """The parts of an agent's observation that can be shown: name and shape."""
    space = world.observation_spaces[a]
    parts = dict(space.items()) if isinstance(space, spaces.Dict) else {"": space}
    return [
        (name, tuple(part.shape or ()))
        for name, part in parts.items()
        if part.dtype is not None
        and part.dtype.kind in "iu"
        and len(part.shape or ()) <= 3
        and prod(part.shape or ()) <= _MOST_NUMBERS
    ]


def _action(world: World, a: int, action: np.ndarray) -> int | str:
    """The number of an action, or controls in words."""
    return world.described(a, action) if world.control_spaces else int(action)


def _view(world: Any, moment: Moment, a: int) -> list[int]:
    """The numbers of these parts, one after the other."""
    slot = moment.observations[a]
    found: list[int] = []
    for name, _ in _parts(world, a):
        found += np.asarray(slot[name] if name else slot).ravel().tolist()
    return found
