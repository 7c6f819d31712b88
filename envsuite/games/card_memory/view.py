"""What CardMemory says and shows: texts, pictures and clicks."""

from __future__ import annotations

import re
from typing import Any

from envsuite.games.card_memory import rules
from envsuite.kit import chain
from envsuite.render.scene import Label, Rect, Scene, text_width

SUIT_NAMES = ("spades", "diamonds", "clubs", "hearts")
COLOR_NAMES = ("black", "red")
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

#: A card, or its suit alone.
_CARD = re.compile(r"(?:(?:10|[2-9TJQKA]) ?)?([♠♦♣♥SDCH])", re.IGNORECASE)


def sizes_of(s: Any) -> rules.Sizes:
    """The sizes of a record's game."""
    return rules.sizes(int(s.params.game), int(s.params.difficulty))


def value_name(size: rules.Sizes, value: int) -> str:
    """A color, suit or rank."""
    return {2: COLOR_NAMES, 4: SUIT_NAMES}.get(size.kinds, RANK_NAMES)[value]


def is_over(s: Any) -> bool:
    return bool(s.terminated[0] or s.truncated[0])


# Texts.


def understand(world: Any, s: Any, agent: int, text: str) -> int | None:
    """The suit of a card in letters or signs: KH, K♥, ♥."""
    names, found = world.action_names[agent], _CARD.fullmatch(text)
    suit = SUIT_NAMES["♠♦♣♥SDCH".index(found[1].upper()) % 4] if found else ""
    return names.index(suit) if suit in names else None


def text(world: Any, s: Any, agent: int) -> str:
    """What the agent sees, and what it is asked for."""
    size, seen = sizes_of(s), world.observation(s, 0).seen.tolist()
    return "\n".join(
        [
            _shown(size, s, seen, world.action_names[0]),
            f"Steps so far: {s.t} of {size.length}.",
            "It is over." if is_over(s) else _question(size, s, seen),
        ]
    )


def _shown(size: rules.Sizes, s: Any, seen: list[int], names: tuple[str, ...]) -> str:
    """The observation in words."""
    if size.game == rules.CONCENTRATION:
        rows = [seen[k : k + size.columns] for k in range(0, size.cells, size.columns)]
        signs = [[_sign(size, value) for value in row] for row in rows]
        return "The cards, with . for those that are face down:\n" + "\n".join(" ".join(row) for row in signs)
    if size.game > rules.CONCENTRATION:
        if s.last == rules.NONE:
            return "Nothing has been tried yet."
        last = names[s.last]
        if size.game == rules.BATTLESHIP:
            return f"The shot at {last} {'hit' if seen[0] else 'did not hit'}."
        if size.game == rules.BANDIT:
            return f"{last.capitalize()} {'paid' if seen[0] else 'did not pay'}."
        return f"The cells around {last}, its own included, have {seen[0]} mine{'' if seen[0] == 1 else 's'}."
    if size.game == rules.AUTOENCODE and s.t >= size.cards:
        return "No card is shown."
    what = value_name(size, seen[-1] if size.game == rules.AUTOENCODE else seen[0])
    return f"The card is {'of ' if size.kinds == len(SUIT_NAMES) else ''}{what}."


def _question(size: rules.Sizes, s: Any, seen: list[int]) -> str:
    if size.game == rules.REPEAT_FIRST:
        return "What was the suit of the first card?"
    if size.game == rules.REPEAT_PREVIOUS:
        lag = rules.LAGS[size.difficulty] - 1
        asked = s.t >= lag
        return f"What was the suit of the card {lag} cards before this one?" if asked else "Nothing is asked yet."
    if size.game == rules.AUTOENCODE:
        if seen[0] == rules.WATCH:
            return "More cards follow; nothing is asked yet."
        return "Say the suits from the last card back to the first one: what comes next?"
    if size.game == rules.COUNT_RECALL:
        return f"How many cards that are {value_name(size, seen[1])} have been dealt?"
    if size.game == rules.HIGHER_LOWER:
        return "Is the next card higher or lower?"
    what = {
        rules.CONCENTRATION: "Turn a card over.",
        rules.BATTLESHIP: "Shoot at a cell.",
        rules.MINE_SWEEPER: "Reveal a cell.",
    }
    return what.get(size.game, "Pull an arm.")


def _sign(size: rules.Sizes, value: int) -> str:
    if value == size.kinds:
        return "."
    return RANK_NAMES[value] if size.kinds == rules.RANKS else COLOR_NAMES[value][0]


# Pictures: what is seen above the fields that can be chosen; a board is both.


def layout(size: rules.Sizes) -> tuple[int, float, float, float, float]:
    """The fields of the actions: columns, left and top edge, and width and height of a field."""
    if size.cells:
        rows = size.cells // size.columns
        side = min(14.0 / size.columns, 5.6 / rows)
        return size.columns, 8.0 - side * size.columns / 2, 4.35 - side * rows / 2, side, side
    columns = min(size.actions, 10)
    rows = -(-size.actions // columns)
    width = min(14.0 / columns, 3.2)
    height = min(2.2 / rows, 1.1)
    return columns, 8.0 - columns * width / 2, 5.9 - height * rows / 2, width, height


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action whose field is at this point."""
    size = sizes_of(s)
    columns, left, top, width, height = layout(size)
    column, row = (x - left) // width, (y - top) // height
    action = int(row * columns + column)
    return action if 0 <= column < columns and row >= 0 and action < size.actions else None


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    size = sizes_of(s)
    seen, names = world.observation(s, 0).seen.tolist(), world.action_names[0]
    picture = chain.begun(
        f"{rules.GAMES[size.game]} ({rules.DIFFICULTIES[size.difficulty]})", int(s.t), size.length, is_over(s)
    )
    if not size.cells:
        _draw_seen(picture, size, s, seen)
    right = int(rules.sought(s, s.t + 1)) if agent is None and not is_over(s) else rules.NONE
    columns, left, top, width, height = layout(size)
    for k, name in enumerate(names):
        x, y = left + k % columns * width, top + k // columns * height
        fill, sign, color = _field(size, s, seen, k, agent is None) if size.cells else ("panel", name, "ink")
        outline = "green" if k == right else "orange" if size.game >= rules.CONCENTRATION and k == s.last else "line"
        gap = 0.05 * height
        picture.add(Rect(x + gap, y + gap, width - 2 * gap, height - 2 * gap, fill, outline, 0.07, 0.1 * height))
        if size.arms and agent is None:
            bar = (width - 6 * gap) * float(s.means[k])
            picture.add(Rect(x + 3 * gap, y + height - 5 * gap, bar, 2 * gap, "blue", glyph=""))
        letters = min((0.65 if size.cells else 0.45) * height, 0.72 * width / max(text_width(sign, 1.0), 0.1))
        picture.add(Label(x + width / 2, y + height / 2, sign, letters, color, bold=True))
    return picture


def _draw_seen(picture: Scene, size: rules.Sizes, s: Any, seen: list[int]) -> None:
    """The card or payment that is seen now."""
    if size.game == rules.BANDIT:
        sign = ("-", "did not pay", "paid")[1 + seen[0] if s.last != rules.NONE else 0]
        chain.card(picture, 8.0, 2.6, sign, "last pull", "green" if s.last != rules.NONE and seen[0] else "muted")
        return
    gone = size.game == rules.AUTOENCODE and s.t >= size.cards
    shown = seen[-1] if size.game == rules.AUTOENCODE else seen[0]
    red = shown % 2 == 1 and size.kinds != rules.RANKS
    asks = size.game == rules.COUNT_RECALL
    what = "no card" if gone else value_name(size, shown)
    chain.card(picture, 5.0 if asks else 8.0, 2.6, what, "card", "muted" if gone else "red" if red else "ink")
    if asks:
        red = seen[1] % 2 == 1 and size.kinds != rules.RANKS
        chain.card(picture, 11.0, 2.6, value_name(size, seen[1]), "how many?", "red" if red else "ink")


def _field(size: rules.Sizes, s: Any, seen: list[int], k: int, everything: bool) -> tuple[str, str, str]:
    """A cell of a board: ground, sign and its color. Agents see the last action alone, spectators all."""
    if size.game == rules.CONCENTRATION:
        up = seen[k] < size.kinds
        if not up and not everything:
            return "blue", "", "white"
        value = int(s.cards[k]) // 4 if size.kinds == rules.RANKS else int(s.cards[k]) % size.kinds
        color = "red" if value == 1 and size.kinds == 2 else "black"
        return ("white", _sign(size, value), color) if up else ("blue", _sign(size, value), "white")
    if k == s.last:
        number = str(seen[0]) if size.game == rules.MINE_SWEEPER else ("o", "X")[seen[0]]
        return "highlight", number, "black"
    if not everything:
        return "panel", "", "ink"
    opened, marked = bool(s.open[k]), bool(s.marked[k])
    if size.game == rules.BATTLESHIP:
        return ("grey" if marked else "sky" if opened else "panel"), "X" if opened and marked else "", "black"
    return ("grey" if marked else "sky" if opened else "panel"), "*" if marked else "", "black"
