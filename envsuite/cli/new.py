"""The command `new`, which writes the files of a new world."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from envsuite.cli.common import app, examples, out, to_write
from envsuite.core.errors import ParameterError
from envsuite.core.files import replace

#: The world of the guide, docs/adding_a_world.md.
TEMPLATE = Path(__file__).with_name("nim.txt")

TEST = '''"""Tests of Nim: its promises to every interface, and its rules against theory."""

import pytest
from nim import Nim

from envsuite.evaluation.matches import play
from envsuite.testing import check_world


def test_promises():
    check_world(Nim())


@pytest.mark.parametrize("stones", range(1, 13))
def test_known_values(stones):
    """The player to move wins unless the pile is a multiple of 4 (Bouton, 1901)."""
    result = play(Nim(stones=stones), "perfect", 2)
    assert (result.returns[:, 0] == (1 if stones % 4 else -1)).all()
'''


@app.command(epilog=examples("envsuite new Salvo", "envsuite check salvo:Salvo", "envsuite watch salvo:Salvo"))
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the class, such as Salvo.")],
) -> None:
    """Write a world of your own to begin with: NAME's rules, a policy and a test, in the current folder.

    The world is a small game that works. Change its rules, its page and its test to yours; the guide "Adding a world"
    explains every part.
    """
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]{0,59}", name) or keyword.iskeyword(name):
        raise ParameterError(f"{name!r:.80} must be a class's name: a capital letter, then letters and digits")
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if keyword.iskeyword(module) or importlib.util.find_spec(module) is not None:
        raise ParameterError(f"a module {module} exists already; choose another name than {name}")
    texts = {f"{module}.py": named(TEMPLATE.read_text("utf-8"), name), f"test_{module}.py": named(TEST, name)}
    for path in texts:
        if Path(path).exists():
            raise ParameterError(f"{path} exists already; nothing is written")
        to_write(path)
    for path, text in texts.items():
        replace(path, text)
        out.print(Text.assemble("Wrote ", (path, "bold")), soft_wrap=True)
    for line in (f"envsuite check {module}:{name}", f"envsuite watch {module}:{name}", f"pytest test_{module}.py"):
        out.print(Text(f"  {line}", "dim"))


def named(text: str, name: str) -> str:
    """A text about Nim, with another name in its place; sources keep theirs."""
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    text = re.sub(r"\bNim\b(?!,)", name, text)
    return re.sub(r"\bnim\b", module, text)
