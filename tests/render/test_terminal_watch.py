"""`envsuite watch --ansi` in a real terminal: a pseudo terminal of 24 x 80, whose output a small screen follows."""

import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fcntl import ioctl

import pytest

from envsuite.render.theme import rgba

ROWS, COLUMNS = 24, 80


class Screen:
    """What a terminal shows: a letter with its foreground and background in each place.

    `scrolled` counts the lines that it lost at the top, and `written` is all that came, also after the pictures.
    """

    def __init__(self):
        self.cells = [[(" ", None, None)] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = self.scrolled = 0
        self.ink = self.ground = None
        self.written = ""

    def feed(self, text: str) -> None:
        for part in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|[^\x1b]", text):
            if part.startswith("\x1b["):
                self.control(part[2:-1], part[-1])
            elif part == "\r":
                self.column = 0
            elif part == "\n":
                self.row += 1
                if self.row == ROWS:
                    self.cells = [*self.cells[1:], [(" ", None, None)] * COLUMNS]
                    self.row, self.scrolled = ROWS - 1, self.scrolled + 1
            else:
                assert self.column < COLUMNS, "a line is longer than the terminal is wide"
                self.cells[self.row][self.column] = (part, self.ink, self.ground)
                self.column += 1

    def control(self, numbers: str, kind: str) -> None:
        if kind == "m":
            self.style([int(number or 0) for number in numbers.split(";")])
        elif kind == "A":
            assert self.row >= int(numbers or 1), "the cursor goes up beyond the terminal"
            self.row -= int(numbers or 1)
        elif kind == "K":
            self.cells[self.row] = [(" ", None, None)] * COLUMNS
        else:
            assert (numbers, kind) in (("?25", "l"), ("?25", "h")), (numbers, kind)

    def style(self, numbers: list[int]) -> None:
        while numbers:
            first, *numbers = numbers
            if first == 0:
                self.ink = self.ground = None
            elif first in (38, 48):
                assert numbers[0] == 2, "not a 24-bit colour"
                color, numbers = tuple(numbers[1:4]), numbers[4:]
                self.ink, self.ground = (color, self.ground) if first == 38 else (self.ink, color)

    def text(self) -> list[str]:
        return ["".join(letter for letter, *_ in row).rstrip() for row in self.cells]

    def colors(self) -> set:
        return {color for row in self.cells for _, *both in row for color in both}


def watch(*arguments: str, **environment: str) -> Screen:
    """The screen after `envsuite watch ... --ansi` in a terminal."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")}
    command = [sys.executable, "-m", "envsuite.cli", "watch", *arguments, "--ansi", "--seed", "1", "--fps", "1000"]
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=kept | terminal | environment)
    os.close(theirs)
    read = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # Linux: the other end is closed
            more = b""
        if not more:
            break
        read += more
    os.close(ours)
    assert process.wait() == 0, read.decode()
    screen = Screen()
    screen.written = read.decode()
    # What follows the pictures, the table of returns, may scroll.
    screen.feed(screen.written.partition("\x1b[?25h")[0])
    return screen


def test_a_picture_is_drawn_in_place_in_colours():
    screen = watch("DoorKey", "-p", "size=5", "--steps", "12", "--policy", "random")
    shown = [int(t) for t in re.findall(r"t = (\d+)", screen.written)]
    assert shown == [*range(13), 12] and screen.scrolled == 0  # the last one once more at the end
    assert {rgba("wall")[:3], rgba("red")[:3]} <= screen.colors()
    assert sum("t = 12" in line for line in screen.text()) == 1 and not any("t = 11" in line for line in screen.text())
    assert screen.written.count("\x1b[?25l") == screen.written.count("\x1b[?25h") == 1  # the cursor comes back


@pytest.mark.parametrize("id", ["CoopMining", "Territory"])
def test_a_picture_that_does_not_fit_is_made_of_half_blocks(id):
    screen = watch(id, "--steps", "3", "--policy", "random")
    assert screen.scrolled == 0
    page = screen.text()
    assert sum("▀" in line for line in page) > 5 and not any("..." in line for line in page)
    assert any("t = 3" in line for line in page) and any(line.startswith("player_0") for line in page)
    assert rgba("wall")[:3] in screen.colors()


def test_a_dark_page():
    screen = watch("DoorKey", "-p", "size=5", "--steps", "1", "--policy", "random", "--theme", "dark")
    assert rgba("paper", "dark")[:3] in screen.colors() and rgba("paper")[:3] not in screen.colors()


def test_no_color_is_respected():
    screen = watch("DoorKey", "-p", "size=5", "--steps", "2", "--policy", "random", NO_COLOR="1")
    assert screen.colors() == {None}
    assert any("####" in line for line in screen.text())  # textures in the place of colours
