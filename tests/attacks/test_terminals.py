"""Sequences that a terminal acts on, in all that comes from outside: no command writes them to its output."""

import io
import json
import logging
import re
import sys
import unicodedata
from dataclasses import replace

import pytest
from rich.live import Live
from typer.testing import CliRunner

from envsuite import cli, registry
from envsuite.agents import make_policy
from envsuite.cli import common
from envsuite.core.console import Console
from envsuite.core.errors import visible
from envsuite.episodes import replay as replays
from envsuite.episodes.session import Session, play_in_terminal, show_in_terminal
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.models import client
from envsuite.render.scene import Label
from envsuite.scale import ledger

#: Clear, move, color, title, link, clipboard, reset, keyboard, queries; 8-bit forms; back over what was written; from
#: right to left; and markup of our own library.
SEQUENCES = (
    "\x1b[2J", "\x1b[7777;1H", "\x1b[31;5m", "\x1b]0;taken\x07", "\x1b]8;;http://taken\x1b\\x\x1b]8;;\x1b\\",
    "\x1b]52;c;dGFrZW4=\x07", "\x1bc", "\x1b[?1049h", "\x1bP+q544e\x1b\\", "\x1b_taken\x1b\\", "\x1b", "\x9b2J",
    "\x9d8;;http://taken\x9c", "\x90x\x9c", "\rtaken", "\x08\x08\x08taken", "\x7f", "\x0e", "\x0b\x0c", "\x00\x05\x07",
    "\u202etaken\u202c", "\u2066x\u2069", "\u200f", "\u200b\ufeff", "\u2028\u2029\x85", "\U000e0041", "\ud83d",
    "[link=http://taken]x[/link]", "[bold red]x", "[/]", ":skull:",
)  # fmt: skip

EVIL = "".join(SEQUENCES)


def harmless(output):
    """Demand that a terminal acts on nothing of an output without colors but the ends of its lines."""
    for sign in set(output) - {"\n"}:
        assert unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Zl", "Zp"), ascii(sign)
    return output


def drawn(output):
    """As `harmless`, for an output that is drawn in place, without what hides the cursor and moves it."""
    return harmless(re.sub(r"\x1b\[(?:\?25[hl]|2K|\d{1,3}A)|\r", "", output))


@pytest.fixture
def envs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for console in (common.out, common.err):
        monkeypatch.setattr(console, "_width", 200)

    def run(*arguments, typed=None):
        result = CliRunner().invoke(cli.app, list(arguments), input=typed)
        assert result.exception is None or isinstance(result.exception, SystemExit), (arguments, result.exception)
        return harmless(result.output)

    return run


def played(steps=3):
    session = Session(registry.build("TicTacToe"), dict.fromkeys(range(2), make_policy("random", "TicTacToe")), 0)
    for _ in session.play(steps):
        pass
    return session.timeline.replay({"player_0": "x", "player_1": "y"}).to_bytes()


def forged(change):
    """A replay with another header, and a digest that fits."""
    header, body = replays.read_header(played())
    change(header)
    data = replays._FIRST_LINE + json.dumps(header).encode() + b"\n" + body
    return data + replays._digest(data, replays._DIGEST)


def changes(evil):
    """Everything in a header that may be words."""
    yield lambda header: header.update(players={"player_0": evil, "player_1": f"x{evil}"})
    yield lambda header: header.update(players={evil: evil})
    yield lambda header: header.update(parameters={evil: evil, "rows": [evil]})
    yield lambda header: header.update(tuned={evil: 1, "x": evil})
    yield lambda header: header.update(level={evil: [evil, {evil: evil}]})
    yield lambda header: header.update({evil: evil, "notes": evil})
    for key in ("id", "envsuite", "interface", "rules", "actions"):
        yield lambda header, key=key: header.update({key: evil})
    yield lambda header: header.update(agents=[evil, f"{evil}2"])
    yield lambda header: header.update(checksums=[evil])


def test_what_is_visible():
    assert visible("a b\n\tc\xa0é日") == "a b\n\tc\xa0é日" and visible("\x1b[2J\u202e\r") == r"\x1b[2J\u202e\r"
    assert not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") for sign in visible(EVIL))


@pytest.mark.slow
def test_replays(envs, tmp_path, counted):
    """Shown, verified, compared and exported; the words are shown where the header can be read."""
    (tmp_path / "plain.replay").write_bytes(played())
    count = shown = 0
    for evil in (EVIL, *SEQUENCES):
        for change in list(changes(evil))[: None if evil is EVIL else 2]:
            (tmp_path / "odd.replay").write_bytes(forged(change))
            output = envs("replay", "show", "odd.replay")
            shown += "steps from seed" in output
            count += 1
            if evil is EVIL:
                envs("replay", "verify", "odd.replay"), envs("replay", "diff", "odd.replay", "plain.replay")
                envs("export", "odd.replay", "--html", "odd.html")
    assert shown > count / 3
    counted("replays with terminal sequences shown", count)


def test_a_replay(envs, tmp_path):
    (tmp_path / "odd.replay").write_bytes(forged(lambda header: header.update(players={"player_0": EVIL})))
    assert r"\x1b[2J" in envs("replay", "show", "odd.replay")


@pytest.mark.parametrize("evil", ["\x1b[2J\x1b]8;;http://taken\x1b\\", "\x9b2J\u202e\r[link=http://taken]"])
def test_names_of_files(envs, tmp_path, evil):
    (tmp_path / evil.replace("/", "_")).write_bytes(played())
    name = evil.replace("/", "_")
    for command in (("show",), ("verify",), ("diff", name)):
        envs("replay", *command, name)
    envs("export", name, "--html", f"{name}.html"), envs("replay", "show", f"{name}2"), envs("scale", "status", name)


class Odd(TicTacToe):
    """A world of another author whose every word has sequences."""

    def __init__(self):
        super().__init__()
        self.action_names = tuple(tuple(f"{name}{EVIL}" for name in names) for names in self.action_names)

    def text(self, s, agent):
        return f"{super().text(s, agent)}\n{EVIL}"

    def scene(self, s, agent=None):
        scene = super().scene(s, agent)
        scene.shapes[:] = [
            replace(shape, text=f"{EVIL}{shape.text}") if isinstance(shape, Label) else shape for shape in scene.shapes
        ]
        return scene


@pytest.mark.parametrize("terminal", [False, True])
def test_watching(terminal):
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=150, height=50, color_system=None)
    world = Odd()
    show_in_terminal(Session(world, make_policy("random", world), 0), console, fps=1000)
    (drawn if terminal else harmless)(file.getvalue())
    assert r"\x1b[2J" in file.getvalue() and "t = 5" in file.getvalue()


def test_playing():
    """The words of the world, of an error about what was typed, and of the list of actions."""
    file, world = io.StringIO(), Odd()
    typed = iter(["?", EVIL, "rules", f"a1 {EVIL}", "quit"])
    console = Console(file=file, width=150, height=50)
    console.input = lambda prompt: next(typed)
    session = Session(world, make_policy("random", world), 0, [0])
    play_in_terminal(session, console)
    assert r"\x1b[2J" in harmless(file.getvalue())


@pytest.mark.rooms
@pytest.mark.parametrize("evil", [EVIL, *(pytest.param(one, marks=pytest.mark.long) for one in SEQUENCES)])
def test_evaluations(envs, tmp_path, monkeypatch, evil, counted):
    """What a model says, its failures, its name, the ledger of its answers, and the report; in tables and notes."""
    (tmp_path / "odd_model.py").write_text(
        "from envsuite.models.client import ModelError\n"
        f"EVIL = {evil!r}\nasked = 0\n"
        "def answer(messages):\n"
        "    global asked\n"
        "    asked += 1\n"
        "    if 'fail' in EVIL or asked > 30:\n"
        "        raise ModelError('500' + EVIL, 'no answer ' + EVIL, fatal=True)\n"
        "    return f'{EVIL} Action: {EVIL}'\n"
        "def broken(messages):\n"
        "    raise ValueError(EVIL)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for function in ("answer", "broken"):
        monkeypatch.delitem(sys.modules, "odd_model", raising=False)
        files = ("--out", f"{function}.jsonl", "--html", f"{function}.html", "--json", f"{function}.json")
        options = ("--model", "policy:random", "--episodes", "8", "--retries", "0", "--concurrency", "1")
        output = envs("evaluate", "TicTacToe", "--model", f"python:odd_model:{function}", *options, *files)
        assert "are not finished" in output
        envs("evaluate", "TicTacToe", "--model", f"python:odd_model:{function}", *options, *files)  # from the ledger
        envs("scale", "status", f"{function}.jsonl")
    counted("evaluations with terminal sequences", 4)


def test_ledgers(envs, tmp_path):
    """Keys and values of a file of results."""
    line = {"kind": EVIL, EVIL: EVIL, "x": [EVIL], "code": "c", "units": 3}
    (tmp_path / "odd.jsonl").write_bytes(ledger.line(line) + ledger.line({**line, "code": EVIL}))
    assert r"\x1b[2J" in envs("scale", "status", "odd.jsonl")


def test_logs(caplog):
    """The log names a model that gives no answer, and what its endpoint said."""

    class Failing:
        name = f"m{EVIL}"

        async def ask(self, request):
            raise client.ModelError("500", EVIL)

        async def close(self):
            pass

    with caplog.at_level(logging.WARNING):
        assert client._asked(Failing(), "?") == ""
    assert caplog.messages and harmless("\n".join(caplog.messages))


def test_a_console_keeps_its_own_colors_and_moves():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80, color_system="truecolor")
    console.print("x\x1b[2J", style="bold red")
    with Live("[bold]y", console=console, auto_refresh=False):
        pass
    assert "\x1b[1;31mx\\x1b[2J" in file.getvalue() and "\x1b[?25l" in file.getvalue() and "[bold]y" in file.getvalue()
