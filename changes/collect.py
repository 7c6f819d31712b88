"""Collect the notes of changes into CHANGELOG.md, as a part of a release, and remove their files.

python changes/collect.py         # under the version of pyproject.toml
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(folder: Path) -> dict[Path, str]:
    """The notes by their files, in the order of the names."""
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    return {path: checked(path) for path in files}


def checked(path: Path) -> str:
    """A note's text, or `SystemExit` if it is not in the form of a list."""
    text = path.read_text(encoding="utf-8").strip()
    if not re.fullmatch(r"- .+(\n(- |  ).+)*", text):
        raise SystemExit(f"{path}: a note is a list: lines that begin with '- ', or with two spaces to go on")
    return text


def added(changelog: str, version: str, texts: list[str]) -> str:
    """The changelog with these notes at the beginning of the section of a version, which is now released."""
    heading = re.search(rf"^## {re.escape(version)}(, not yet released)?$", changelog, re.MULTILINE)
    if heading:
        before, after = changelog[: heading.start()], changelog[heading.end() :].lstrip("\n")
    else:
        first = re.search(r"^## ", changelog, re.MULTILINE)
        at = first.start() if first else len(changelog)
        before, after = changelog[:at], "\n" + changelog[at:]
    listed = "".join(f"{text}\n" for text in texts)
    return f"{before}## {version}\n\n{listed}{after}"


def collect(root: Path = ROOT) -> list[Path]:
    """Move all notes into the changelog; the files that are gone."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    found, changelog = notes(root / "changes"), root / "CHANGELOG.md"
    changelog.write_text(added(changelog.read_text(encoding="utf-8"), version, list(found.values())), encoding="utf-8")
    for path in found:
        path.unlink()
    return list(found)


if __name__ == "__main__":
    print(f"{len(collect())} notes are in CHANGELOG.md")
