"""Texts and pictures of Hanabi: names, words, the picture, and clicks on it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from envsuite.render.scene import Circle, Label, Rect, Scene, Shape, text_width

NONE = -1

COLORS = ("red", "yellow", "green", "white", "blue")
LETTERS = "RYGWB"


def card_name(world: Any, card: int) -> str:
    """The name of a card, such as "R1"."""
    color, rank = divmod(int(card), world.sizes[3])
    return f"{LETTERS[color]}{rank + 1}"


def hint_marks(world: Any, s: Any, player: int, place: int) -> tuple[str, str, bool, bool]:
    """The colors and ranks that a card may have after all hints, and whether its color and its rank were hinted."""
    _, _, colors, ranks = world.sizes
    known = s.knowledge[player].reshape(-1, colors * ranks + colors + ranks)[place]
    possible = known[: colors * ranks].reshape(colors, ranks)
    letters = "".join(letter for letter, may in zip(LETTERS, possible.any(axis=1)) if may)
    digits = "".join(str(r + 1) for r in range(ranks) if possible[:, r].any())
    told = known[colors * ranks :]
    return letters, digits, bool(told[:colors].any()), bool(told[colors:].any())


def discards(world: Any, s: Any) -> list[int]:
    """The discarded cards, sorted."""
    _, _, colors, ranks = world.sizes
    deck = sorted(int(card) for card in s.deck)
    return [card for card, gone in zip(deck, s.board[-len(deck) :]) if gone]


def score(world: Any, s: Any) -> int:
    """The number of cards on the fireworks; 0 after the last life if losing it costs the score."""
    return 0 if s.lives == 0 and not s.params.keep else int(s.fireworks.sum())


def move_text(world: Any, s: Any, player: int) -> str:
    """A player's last move in words, or nothing."""
    move, (_, size, _, _) = s.last[player], world.sizes
    if move.action == NONE:
        return ""
    if move.action < 2 * size:
        place, name = int(move.action) % size + 1, card_name(world, move.card)
        if move.action < size:
            return f"discarded card {place}, {name}"
        return f"played card {place}, {name}: " + ("right" if move.success else "wrong, a life lost")
    _, target, *value = world.action_names[player][move.action].split(" ")
    touched = [str(i + 1) for i in range(size) if move.touched >> i & 1]
    return f"hinted {target} {' '.join(value)}: card{'s' * (len(touched) > 1)} {', '.join(touched)}"


def hearers(world: Any, s: Any, agent: int, action: int) -> Collection[int] | None:
    """All hear a hint."""
    return range(len(world.agents)) if s.player == agent and action >= 2 * world.sizes[1] else None


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    """The last move if it was a hint."""
    players, size, _, _ = world.sizes
    player = (int(s.player) - 1) % players
    return [(player, move_text(world, s, player))] if s.last[player].action >= 2 * size else []


def text(world: Any, s: Any, agent: int) -> str:
    players, size, colors, ranks = world.sizes
    fireworks = ", ".join(f"{name} {height}" for name, height in zip(COLORS, s.fireworks))
    lines = [
        f"You are player_{agent} of {players}. Score {score(world, s)} of {colors * ranks}; lives {s.lives} of "
        f"{s.params.life_tokens}; information tokens {s.information} of {s.params.information_tokens}.",
        f"Fireworks: {fireworks}. Cards left in the deck: {len(s.deck) - s.drawn}.",
        f"Discarded: {' '.join(map(world.card_name, discards(world, s))) or 'nothing'}.",
    ]
    for k in range(players):
        player = (agent + k) % players
        whose = "Your hand, which you do not see" if k == 0 else f"The hand of player_{player}"
        lines.append(f"{whose}, oldest card first:")
        for i in range(s.held[player]):
            letters, digits, color_told, rank_told = hint_marks(world, s, player, i)
            names = [COLORS[LETTERS.index(letter)] for letter in letters]
            color = f"{' or '.join(names)}{' (told)' * color_told}" if len(names) < colors else "any color"
            rank = f"rank {' or '.join(digits)}{' (told)' * rank_told}" if len(digits) < ranks else "any rank"
            shown = "" if k == 0 else f" {card_name(world, s.cards[player, i])}; its owner knows:"
            lines.append(f"  card {i + 1}:{shown} {color}, {rank}")
    order = [(s.player + k) % players for k in range(players)]
    moves = [f"player_{player} {move_text(world, s, player)}." for player in order if move_text(world, s, player)]
    lines += ["Last moves, with the places of that moment:", *(f"  {move}" for move in moves)] if moves else []
    if s.terminated[agent]:
        why = "The last life is lost" if s.lives == 0 else "The game is over"
        lines.append(f"{why}. The score is {score(world, s)}.")
    else:
        if s.drawn == len(s.deck):
            lines.append(f"The deck is empty: turns left before the end, of all together: {s.turns}.")
        lines.append("It is your turn." if s.player == agent else f"player_{s.player} is to move.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The table. An agent's own cards show only what hints show about them, even after the end."""
    return Table(world, s, agent).scene()


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The halves of an own card play it (upper) or discard it (lower); the halves of others hint color and rank."""
    players, _, _, ranks = world.sizes
    table = Table(world, s, agent)
    for player in range(players):
        for i in range(s.held[player]):
            middle, height = table.place(player, i)
            if abs(x - middle) > 0.62 or abs(y - height) > 0.85:
                continue
            upper = y < height
            if player == agent:
                name = f"{'play' if upper else 'discard'} card {i + 1}"
            else:
                color, rank = divmod(s.cards[player, i], ranks)
                name = f"hint player_{player} {COLORS[color] if upper else f'rank {rank + 1}'}"
            return world.action_names[agent].index(name)
    return None


#: Colors of the cards in the theme, and of the text on them.
FACES = (("red", "white"), ("yellow", "black"), ("green", "white"), ("white", "black"), ("blue", "white"))


class Table:
    """The picture of a game: fireworks, tokens and discards above; below them the hands, two or three side by side."""

    ROW = 3.9  # the height of a hand with its name
    CARD = 1.7  # the distance between two cards of a hand

    def __init__(self, world: Any, s: Any, agent: int | None):
        self.world, self.s, self.agent = world, s, agent
        players, size, colors, _ = world.sizes
        tokens = max(s.params.information_tokens, s.params.life_tokens)
        self.widths = (max(1.55 * colors, 4.0), max(0.5 * tokens + 1.6, 4.6), 0.62 * len(s.deck) / colors + 0.2)
        self.board = max(5.1, 0.86 * colors + 1.9)  # the top of the hands
        self.columns = 3 if players == 5 else 2
        self.rows = -(-players // self.columns)
        self.width = max(self.columns * max(self.CARD * size + 0.9, 8.9) + 1.2, sum(self.widths) + 3.2)
        self.hand = (self.width - 1.2) / self.columns

    def corner(self, player: int) -> tuple[float, float]:
        """The top left corner of a hand."""
        return 0.6 + self.hand * (player % self.columns), self.board + self.ROW * (player // self.columns)

    def place(self, player: int, i: int) -> tuple[float, float]:
        """The center of a card of a hand."""
        left, top = self.corner(player)
        return left + self.hand / 2 + self.CARD * (i - (self.world.sizes[1] - 1) / 2), top + 1.7

    def scene(self) -> Scene:
        height = self.board + self.ROW * self.rows + 0.9
        scene = Scene(self.width, height)
        scene.add(Rect(0.3, 0.3, self.width - 0.6, height - 0.6, "felt", radius=0.6))
        gap = (self.width - sum(self.widths) - 1.8) / 2
        scene.add(*self.fireworks(0.9))
        scene.add(*self.counts(0.9 + self.widths[0] + gap))
        scene.add(*self.discards(0.9 + self.widths[0] + self.widths[1] + 2 * gap))
        for player in range(self.world.sizes[0]):
            scene.add(*self.row(player))
        legend = "below each card: colors and ranks that it may have, as its owner knows; bold if told"
        scene.add(Label(self.width / 2, height - 0.75, legend, 0.34, "white@0.75", terminal=False))
        return scene

    def fireworks(self, left: float) -> list[Shape]:
        world, s = self.world, self.s
        shapes: list[Shape] = []
        for color, rank in enumerate(s.fireworks):
            x = left + 0.62 + 1.55 * color
            if rank:
                shapes += face(x, 2.3, LETTERS[color], str(rank))
            else:
                shapes.append(Rect(x - 0.62, 1.45, 1.24, 1.7, None, "white@0.45", 0.05, 0.15))
                shapes.append(Label(x, 2.3, LETTERS[color], 0.6, "white@0.65", bold=True))
        _, _, colors, ranks = world.sizes
        return [
            Label(left, 0.95, "fireworks", 0.42, "white", "left"),
            *shapes,
            Label(left, 4.0, f"score {world.score(s)} of {colors * ranks}", 0.6, "white", "left", bold=True),
        ]

    def counts(self, left: float) -> list[Shape]:
        """Information tokens, lives, and the deck."""
        s = self.s
        cards = len(s.deck) - int(s.drawn)
        shapes: list[Shape] = [Label(left, 0.95, "hints to give", 0.42, "white", "left")]
        shapes += tokens(left + 0.2, 1.6, int(s.information), int(s.params.information_tokens), "sky")
        shapes.append(Label(left, 2.55, "lives", 0.42, "white", "left"))
        shapes += tokens(left + 0.2, 3.2, int(s.lives), int(s.params.life_tokens), "pink")
        if cards:
            return [*shapes, Label(left, 4.2, f"cards in the deck: {cards}", 0.42, "white", "left")]
        turns = "over" if s.terminated[0] else f"turns left: {s.turns}"
        return [*shapes, Label(left, 4.2, f"deck empty, {turns}", 0.42, "white", "left")]

    def discards(self, left: float) -> list[Shape]:
        _, _, colors, ranks = self.world.sizes
        shapes: list[Shape] = [
            Label(left, 0.95, "discarded", 0.42, "white", "left"),
            Rect(left, 1.4, self.widths[2], 0.86 * colors + 0.14, "shadow@0.18", radius=0.15),
        ]
        count = [0] * colors
        for card in discards(self.world, self.s):
            color, rank = divmod(card, ranks)
            x, y = left + 0.41 + 0.62 * count[color], 1.9 + 0.86 * color
            shapes += face(x, y, LETTERS[color], str(rank + 1), 0.54, 0.72)
            count[color] += 1
        return shapes

    def row(self, player: int) -> list[Shape]:
        """A player's hand: its cards, what its owner knows about each, and the player's last move."""
        world, s = self.world, self.s
        _, _, colors, ranks = world.sizes
        left, top = self.corner(player)
        shapes: list[Shape] = []
        if s.player == player and not s.terminated[player]:
            shapes.append(Rect(left, top, self.hand, self.ROW - 0.25, "highlight@0.35", radius=0.3))
        name = f"player_{player}" + (" (you)" if player == self.agent else "")
        move, room = move_text(world, s, player), self.hand - 1.0 - 1.1 * text_width(name, 0.42)
        shapes.append(Label(left + 0.4, top + 0.42, name, 0.42, "white", "left", bold=True))
        shapes.append(Label(left + self.hand - 0.4, top + 0.42, move, 0.34, "white", "right", width=room))
        for i in range(s.held[player]):
            x, y = self.place(player, i)
            letters, digits, color_told, rank_told = hint_marks(world, s, player, i)
            if player == self.agent:
                shapes += back(x, y, letters if color_told else "", digits if rank_told else "")
            else:
                color, rank = divmod(int(s.cards[player, i]), ranks)
                shapes += face(x, y, LETTERS[color], str(rank + 1))
            shapes.append(Label(x, y + 1.13, letters if len(letters) < colors else "·", 0.36, "white", bold=color_told))
            shapes.append(Label(x, y + 1.5, digits if len(digits) < ranks else "·", 0.36, "white", bold=rank_told))
        return shapes


def face(x: float, y: float, letter: str, digit: str, width: float = 1.24, height: float = 1.7) -> list[Shape]:
    """A card around a point, in its color, with its rank and, if there is room, its letter."""
    fill, ink = FACES[LETTERS.index(letter)]
    left, top = x - width / 2, y - height / 2
    shapes: list[Shape] = [
        Rect(left + 0.04, top + 0.06, width, height, "shadow@0.25", radius=0.12 * width),
        Rect(left, top, width, height, fill, "line", 0.03, 0.12 * width),
    ]
    if width < 1.0:
        return [*shapes, Label(x, y, f"{letter}{digit}", 0.34, ink, bold=True)]
    shapes.append(Label(x, y + 0.1, digit, 0.9, ink, bold=True))
    return [*shapes, Label(left + 0.25, top + 0.3, letter, 0.36, ink, bold=True)]


def back(x: float, y: float, letter: str, digit: str) -> list[Shape]:
    """A card that its owner does not see, with the color and the rank that were hinted."""
    fill, ink = FACES[LETTERS.index(letter)] if letter else ("wall", "white")
    return [
        Rect(x - 0.58, y - 0.79, 1.24, 1.7, "shadow@0.25", radius=0.15),
        Rect(x - 0.62, y - 0.85, 1.24, 1.7, fill, "line", 0.03, 0.15),
        Label(x, y + 0.1, digit or "?", 0.9, ink if digit else f"{ink}@0.4", bold=True),
        Label(x - 0.37, y - 0.55, letter, 0.36, ink, bold=True),
    ]


def tokens(x: float, y: float, count: int, most: int, color: str) -> list[Shape]:
    """A row of tokens, starting at a point; tokens that are spent are rings."""
    return [
        Circle(x + 0.5 * k, y, 0.2, color if k < count else None, "white", 0.04, glyph="o" if k < count else ".")
        for k in range(most)
    ]
