"""What worlds with a chain of steps share: its picture, and the line of text at its end."""

from __future__ import annotations

from envsuite.render.scene import Circle, Label, Line, Scene, text_width

#: Width and height of such a picture.
WIDTH, HEIGHT = 16.0, 9.0


def begun(title: str, step: int, length: int, over: bool) -> Scene:
    """A picture with its title, and the chain of steps below: done, the present one, and those to come."""
    scene = Scene(WIDTH, HEIGHT)
    scene.add(Label(0.6, 0.8, title, 0.6, align="left", bold=True))
    scene.add(Label(WIDTH - 0.6, 0.8, f"step {step} of {length}{' · over' if over else ''}", 0.45, "muted", "right"))
    y, left, right = HEIGHT - 1.2, 1.0, WIDTH - 1.0
    scene.add(Line([(left, y), (right, y)], "line", 0.1))
    apart = max(1, -(-length // 40))  # at most 40 marks
    for k in range(0, length + 1, apart):
        x = left + (right - left) * k / length
        scene.add(Circle(x, y, 0.14, "muted" if k <= step else "line", glyph=""))
    scene.add(Circle(left + (right - left) * min(step, length) / length, y, 0.3, "orange", "white", 0.06, "@"))
    return scene


def card(scene: Scene, x: float, y: float, text: str, caption: str, color: str = "ink") -> None:
    """A large text with a caption below it, in the middle of (x, y)."""
    size = min(1.3, 4.2 / max(text_width(text, 1.0), 0.1))
    scene.add(Label(x, y, text, size, color, bold=True), Label(x, y + 1.3, caption, 0.42, "muted"))


def ending(step: int, length: int, over: bool) -> str:
    """The last line of a text: where the chain is."""
    return f"Steps so far: {step} of {length}.{' It is over.' if over else ''}"
