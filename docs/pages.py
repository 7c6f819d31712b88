"""Makes the pages of worlds while MkDocs builds the documentation, and README's table of worlds.

    python docs/pages.py    # writes the table into README.md

A page is a world's docstring, an animation of an episode between its policies, tables of what it declares, and its
policies' reference scores. Pictures are kept in build/docs-pictures until a source of the package changes.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envsuite import registry
from envsuite.cli.common import agents_of, page, summary
from envsuite.cli.gallery import cast, episode
from envsuite.cli.look import facts, tables

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.evaluation.reference import Score

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "build" / "docs-pictures"

#: Families of worlds by the folder of their modules.
FAMILIES = {
    "games": "Games",
    "gridworlds": "Gridworlds",
    "social": "Social worlds",
    "dual_control": "Dual control",
}

#: What stands around README's table, and when agents move in it.
BEGIN, END = "<!-- worlds, written by python docs/pages.py -->", "<!-- end of worlds -->"
TURNS = {"sequential": "in turn", "simultaneous": "at once", "mixed": "in phases"}

#: An animation's seed, transitions, pictures a second, and pixels of its longest side and of a still picture's.
SEED, STEPS, FPS, SIZE, STILL = 1, 40, 5, 480, 320

#: A paragraph of a docstring that begins a section: ``**Rules.** The deck has``, or ``**Differences** from``.
SECTION = re.compile(r"^\*\*([A-Z][\w ]*)\.?\*\*[ \n]*(.)", re.MULTILINE)


# What MkDocs calls.


def on_config(config: Any) -> Any:
    """Add the worlds to the navigation."""
    entry = next(entry["Worlds"] for entry in config.nav if "Worlds" in entry)
    for title, worlds in families().items():
        entry.append(
            {title: [{registry.short_name(world.id): f"worlds/{registry.short_name(world.id)}.md"} for world in worlds]}
        )
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the worlds' pages and pictures."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "worlds/index.md", content=overview()))
    for world in (world for worlds in families().values() for world in worlds):
        name = registry.short_name(world.id)
        files.append(File.generated(config, f"worlds/{name}.md", content=world_page(world)))
        for picture in pictures(world):
            files.append(File.generated(config, f"worlds/{picture.name}", abs_src_path=str(picture)))
    return files


# Pages.


def families() -> dict[str, list[World]]:
    """All worlds by the title of their family, those of each in the order of their names."""
    found: dict[str, list[World]] = {title: [] for title in FAMILIES.values()}
    for id in registry.ids():
        folder = registry.spec(id).entry_point.split(".")[1]
        found[FAMILIES[folder]].append(registry.build(id))
    return found


def overview() -> str:
    """The page of all worlds: a picture of each."""
    parts = ["---\nhide: [toc]\n---\n\n# Worlds\n"]
    for title, worlds in families().items():
        parts.append(f'## {title}\n\n<div class="gallery">')
        for world in worlds:
            name = registry.short_name(world.id)
            parts.append(
                f'<a href="{name}.html"><img src="{name}.png" alt="" loading="lazy">'
                f"<strong>{name}</strong><span>{escape(summary(type(world)))}</span></a>"
            )
        parts.append("</div>\n")
    return "\n".join(parts)


def world_page(world: World) -> str:
    """A world's page."""
    name = registry.short_name(world.id)
    policy = f" --policy {world.shown}" if world.shown else ""
    declared = {"id": world.id, "agents": str(len(world.agents)), **facts(world)}
    listed = "".join(f"<div><dt>{escape(fact)}</dt><dd>{escape(text)}</dd></div>" for fact, text in declared.items())
    parts = [
        f"# {name}\n\n{summary(type(world))}.",
        f'<figure markdown="span">\n![An episode of {name}]({name}.webp)\n'
        f"<figcaption><code>envsuite watch {name}{policy} --seed {SEED}</code></figcaption>\n</figure>",
        f'<dl class="facts">{listed}</dl>',
        sections(page(type(world))[1]),
        "## In the code\n\nRead from the code, with default parameters.",
    ]
    for heading, columns, rows in tables(world):
        parts.append(f"### {heading}\n\n{html_table(columns, rows, code=() if heading == 'Actions' else (0,))}")
    parts += scores(world)
    return "\n\n".join(parts) + "\n"


def readme(text: str) -> str:
    """README's text with the table of worlds as the code has it, between its two markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"README.md has no {BEGIN} ... {END}"
    return f"{before}{begin}\n{worlds_table()}\n{end}{after}"


def worlds_table() -> str:
    """The worlds of each family as a table in Markdown."""
    parts = []
    for title, worlds in families().items():
        parts.append(f"\n### {title}\n\n| id | what it is | agents | verified against |\n|---|---|---|---|")
        for world in worlds:
            agents = agents_of(world)
            agents += "" if agents == "1" else f", {TURNS[world.turns]}"
            parts.append(f"| `{world.id}` | {summary(type(world))} | {agents} | {world.verified} |")
    return "\n".join(parts) + "\n"


def sections(text: str) -> str:
    """A docstring's text as Markdown with headings, and an empty line before lists, which MkDocs needs."""
    text = SECTION.sub(lambda found: f"## {found[1]}\n\n{found[2].upper()}", text)
    return re.sub(r"^(?!- |\d\. |  )(.+)\n(?=- |1\. )", r"\1\n\n", text, flags=re.MULTILINE)


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], code: Sequence[int] = ()) -> str:
    """A table of plain texts, whatever signs they hold; code is what stands in backticks or in the columns `code`."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    table = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for row in rows:
        line = ""
        for k, cell in enumerate(map(escape, row)):
            text = f"<code>{cell}</code>" if k in code and cell else re.sub("`(.+?)`", r"<code>\1</code>", cell)
            line += f"<td>{text}</td>"
        table.append(f"<tr>{line}</tr>")
    return "\n".join([*table, "</tbody></table>"])


def scores(world: World) -> list[str]:
    """The reference scores of a world's policies, as far as they were measured."""
    from envsuite.evaluation.reference import reference_scores, usual_others

    parts = []
    for others in dict.fromkeys((None, usual_others(world))):
        rows = reference_scores(world, others)
        if rows:
            if len(world.agents) > 1:
                who = f"One seat, each in turn; `{others}` plays the others." if others else "A policy in all seats."
                parts.append(who)
            parts.append(score_table(world, rows))
    if not parts:
        return []
    note = (
        "Mean returns of an agent with 95% confidence intervals, default parameters; "
        f"`envsuite score {registry.short_name(world.id)} --policy NAME` places another policy among them."
    )
    return ["## Reference scores", note, *parts]


def score_table(world: World, rows: Sequence[Score]) -> str:
    """Scores as a table, from the best; by seat too where there are few and they differ."""
    count = len(world.agents)
    by_seat = 1 < count <= 4 and any(len(set(row.returns)) > 1 for row in rows)
    lines = []
    for row in rows:
        found = row.interval()
        half = (found.high - found.low) / 2
        seats = [f"{value:.4g}" for value in row.returns] if by_seat else []
        lines.append([row.policy, f"{found.value:.4g} ± {half:.2g}", *seats, f"{row.length:.4g}", f"{row.episodes:,}"])
    columns = ["policy", "mean return", *(world.agents if by_seat else ()), "transitions", "episodes"]
    return html_table(columns, lines, code=(0,))


# Pictures.


def pictures(world: World) -> tuple[Path, Path]:
    """A world's animation and a still picture, made now unless they are kept from before."""
    name, folder = registry.short_name(world.id), picture_folder()
    animation, still = folder / f"{name}.webp", folder / f"{name}.png"
    if not (animation.exists() and still.exists()):
        from PIL import Image

        from envsuite.render.frames import draw, save_png

        scenes = episode(world, cast(world), STEPS, SEED)
        save_png(scenes[len(scenes) // 2], still, STILL)
        frames = [Image.fromarray(draw(scene, SIZE)) for scene in scenes]
        times = [1000 // FPS] * (len(frames) - 1) + [1500]
        frames[0].save(
            animation, save_all=True, append_images=frames[1:], duration=times, loop=0, lossless=True, method=2
        )
    return animation, still


@cache
def picture_folder() -> Path:
    """Where pictures of the package as it is are kept; those of other versions are removed."""
    files = [Path(__file__), *sorted(ROOT.glob("envsuite/**/*.py")), *sorted(ROOT.glob("render/*.py"))]
    stamp = hashlib.blake2b(b"".join(map(Path.read_bytes, files)), digest_size=8).hexdigest()
    for old in PICTURES.glob("*"):
        if old.name != stamp:
            shutil.rmtree(old)
    (PICTURES / stamp).mkdir(parents=True, exist_ok=True)
    return PICTURES / stamp


if __name__ == "__main__":
    file = ROOT / "README.md"
    file.write_text(readme(file.read_text(encoding="utf-8")), encoding="utf-8")
