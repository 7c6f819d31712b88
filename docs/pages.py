"""Makes pages from the code while MkDocs builds the documentation.

A world's page has an animation of an episode between its policies, lines of code that use the world, its docstring,
tables of what the code declares, and reference scores. Pictures are kept in build/docs-pictures until a source changes
that their world reaches. With DOCS_PICTURES=stored in the environment the pages show stored pictures instead.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

import envsuite
from envsuite import registry
from envsuite.cli.common import agents_of, page, summary
from envsuite.cli.gallery import cast, episode
from envsuite.cli.look import facts, tables
from envsuite.cli.signatures import MAKERS, arguments, listed, options
from envsuite.core.world_kinds import KINDS
from envsuite.learn import tasks
from envsuite.testing.prompts import prompts_of

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.evaluation.reference import Score

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "build" / "docs-pictures"

#: When agents move, in the table of worlds.
TURNS = {"sequential": "in turn", "simultaneous": "at once", "mixed": "in phases"}

#: Lines that use a world: through Gymnasium if it has one agent, otherwise by when agents move.
GYMNASIUM = """\
import gymnasium, envsuite

env = gymnasium.make("{id}")
observation, info = env.reset(seed=1)
action = env.action_space.sample(info["action_mask"])
observation, reward, terminated, truncated, info = env.step(action)"""
PARALLEL = """\
import envsuite

env = envsuite.make_parallel("{id}")
observations, infos = env.reset(seed=1)
actions = {{agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}}
observations, rewards, terminations, truncations, infos = env.step(actions)"""
AEC = """\
import envsuite

env = envsuite.make_aec("{id}")
env.reset(seed=1)
observation, reward, terminated, truncated, info = env.last()
env.step(env.action_space(env.agent_selection).sample(info["action_mask"]))"""

#: The pages of the API reference: each documents what the public interface takes from these packages.
REFERENCE = {
    "Environments": ("interfaces",),
    "Worlds": ("core", "registry", "testing"),
    "Pictures": ("render",),
    "Policies": ("agents", "core.policy"),
    "Levels": ("generators",),
    "Solvers": ("solvers",),
    "Learning": ("learn",),
    "Evaluation": ("evaluation",),
    "Language models": ("models", "talk"),
    "Scale": ("scale",),
    "Data sets": ("data",),
    "Episodes": ("episodes",),
}

#: An animation's seed, transitions, pictures a second, and pixels of its longest side and of a still picture's.
SEED, STEPS, FPS, SIZE, STILL = 1, 40, 5, 480, 320

#: The turns of random play of which a world's page shows the first one and the middle one.
TURNS = 6

#: Whether the pages show the pictures that tests compare with: animations of all worlds take minutes.
STORED = os.environ.get("DOCS_PICTURES") == "stored"

#: A paragraph of a docstring that begins a section: ``**Rules.** The deck has``, or ``**Differences** from``.
SECTION = re.compile(r"^\*\*([A-Z][\w ]*)\.?\*\*[ \n]*(.)", re.MULTILINE)


# What MkDocs calls.


def on_config(config: Any) -> Any:
    """Add the worlds and the reference to the navigation."""
    sections = {title: pages for entry in config.nav for title, pages in entry.items()}
    for kind, worlds in by_kind().items():
        names = [registry.short_name(world.id) for world in worlds]
        sections["Worlds"].append({kind.capitalize(): [{name: f"worlds/{name}.md"} for name in names]})
    sections["Reference"] += [{title: reference_path(title)} for title in REFERENCE]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the worlds' pages and pictures, the transcripts, the tutorial, and the reference."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "worlds/index.md", content=overview()))
    transcripts = run_path(str(ROOT / "docs" / "transcripts.py"))["page"]()
    files.append(File.generated(config, "transcripts.md", content=transcripts))
    files.append(File.generated(config, "tutorial.md", content=notebook(ROOT / "docs" / "tutorial.ipynb")))
    for title in REFERENCE:
        files.append(File.generated(config, reference_path(title), content=reference_page(title)))
    for world in (world for worlds in by_kind().values() for world in worlds):
        name = registry.short_name(world.id)
        files.append(File.generated(config, f"worlds/{name}.md", content=world_page(world)))
        for picture, path in pictures(world).items():
            files.append(File.generated(config, f"worlds/{picture}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put tables that are made from the code or from measurements where a page has their marker."""
    return with_tables(markdown)


# Pages.


def by_kind() -> dict[str, list[World]]:
    """All worlds by their first kind, those of each in the order of their names."""
    found: dict[str, list[World]] = {kind: [] for kind in KINDS}
    for id in registry.ids():
        world = registry.build(id)
        found[world.kind[0]].append(world)
    return found


def overview() -> str:
    """The page of all worlds: a picture of each."""
    parts = ["---\nhide: [toc]\n---\n\n# Worlds\n"]
    found = by_kind()
    for kind, worlds in found.items():
        parts.append(f'## {kind.capitalize()}\n\n{KINDS[kind]}{others(kind, found)}\n\n<div class="gallery">')
        for world in worlds:
            name = registry.short_name(world.id)
            parts.append(
                f'<a href="{name}.html"><img src="{name}.png" alt="" loading="lazy">'
                f"<strong>{name}</strong><span>{escape(summary(type(world)))}</span></a>"
            )
        parts.append("</div>\n")
    return "\n".join([*parts, "## Table", worlds_table()])


def others(kind: str, found: dict[str, list[World]]) -> str:
    """Links to the worlds of a kind that have their place at another one."""
    worlds = [world for listed in found.values() for world in listed if kind in world.kind[1:]]
    names = [registry.short_name(world.id) for world in worlds]
    return " See also " + ", ".join(f"[{name}]({name}.md)" for name in names) + "." if names else ""


def worlds_table() -> str:
    """All worlds as a table: their agents, and what they were verified against."""
    rows = []
    for world in (world for worlds in by_kind().values() for world in worlds):
        agents = agents_of(world)
        agents += "" if agents == "1" else f", {TURNS[world.turns]}"
        kinds = ", ".join(world.kind)
        rows.append([registry.short_name(world.id), kinds, summary(type(world)), agents, world.verified])
    return html_table(["world", "kinds", "what it is", "agents", "verified against"], rows, code=(0,))


def with_tables(text: str) -> str:
    """A page's Markdown with the tables that its markers name: keys of the window, tokens, measured speeds."""
    if "<!-- keys -->" in text:
        from envsuite.render.player import Table

        rows = [[key, words] for key, (_, words) in Table.keys.items()]
        text = text.replace("<!-- keys -->", html_table(["key", "what it does"], rows, code=(0,)))
    if "<!-- learned -->" in text:
        text = text.replace("<!-- learned -->", html_table(tasks.HEAD, tasks.lines(tasks.table())))
    if "<!-- tokens -->" in text:
        stored = json.loads((ROOT / "docs" / "tokens.json").read_text(encoding="utf-8"))
        rows = [[str(cell) for cell in row] for row in stored["rows"]]
        text = text.replace("<!-- tokens -->", html_table(stored["columns"], rows, code=(0,)))
    if "<!-- speeds -->" in text:
        stored = json.loads((ROOT / "docs" / "speeds.json").read_text(encoding="utf-8"))
        parts = [f"### {title}\n\n{html_table(table['columns'], table['rows'])}" for title, table in stored.items()]
        text = text.replace("<!-- speeds -->", "\n\n".join(parts))
    return text


def notebook(path: Path) -> str:
    """A notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
    return "\n\n".join(parts) + "\n"


def reference_path(title: str) -> str:
    """The file of a page of the reference."""
    return f"reference/{title.lower().replace(' ', '_')}.md"


def reference_page(title: str) -> str:
    """A page of the reference, whose entries mkdocstrings takes from the code."""
    parts = [f"# {title}", *(entry(name) for name in documented(title))]
    if title == "Environments":
        parts[1:1] = [
            *map(maker, MAKERS),
            "::: envsuite\n    options:\n      filters: ['!^(make_(aec|parallel|vec)|PUBLIC)$']",
        ]
    return "\n\n".join(parts) + "\n"


def documented(title: str) -> list[str]:
    """The public names on a page of the reference, in the order of their table."""
    return [name for name, place in envsuite.PUBLIC.items() if reference_of(place) == title]


def reference_of(place: str) -> str:
    """The page of the reference that documents ``module:object``: that of the longest package in front of it."""
    module = place.partition(":")[0].removeprefix("envsuite.")
    found = [
        (len(package), title)
        for title, packages in REFERENCE.items()
        for package in packages
        if f"{module}.".startswith(f"{package}.")
    ]
    return max(found)[1]


def entry(name: str) -> str:
    """The entry of a public name under the name by which users import it; mkdocstrings reads files, so `render`."""
    place = envsuite.PUBLIC[name].replace(":", ".").replace("envsuite.render", "render")
    options = f"      heading: envsuite.{name}\n      toc_label: {name}"
    return f"::: {place}\n    options:\n{options}"


def maker(name: str) -> str:
    """The entry of a function that makes worlds."""
    id, *own, _ = listed(getattr(envsuite, name))
    parameters = [id, *own, *options(name), "**parameters of the world"]
    text = inspect.getdoc(getattr(envsuite, name))
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"### {name}\n\n```python\n{name}(\n{lines})\n```\n\n{text} The page of a world lists its parameters."


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
        f"```python\n{use(world)}\n```",
        f'<dl class="facts">{listed}</dl>',
        sections(page(type(world))[1]),
        "## For players\n\n" + for_players(world),
        "## In the code\n\nRead from the code, with default parameters.",
        f"```python\n{call(world)}\n```",
    ]
    for heading, columns, rows in tables(world):
        parts.append(f"### {heading}\n\n{html_table(columns, rows, code=() if heading == 'Actions' else (0,))}")
    parts += scores(world)
    return "\n\n".join(parts) + "\n"


def for_players(world: World) -> str:
    """What players read: the page and two questions of the first agent of each role, in an episode of random play."""
    parts = []
    for one in prompts_of(world, TURNS, SEED):
        parts.append(f"What `{one.agent}` reads before it plays:\n\n{quoted(one.page)}")
        if one.questions:
            shown = [("its first turn", one.first), ("a later turn", one.middle)][: len(one.questions)]
            parts += [f'??? quote "{title.capitalize()}"\n\n{indented(text)}' for title, text in shown]
    return "\n\n".join(parts)


def indented(text: str) -> str:
    """A text as it stands, for a block that can be opened."""
    fence = "```"
    return "\n".join(f"    {line}".rstrip() for line in [f"{fence}text", *text.strip().split("\n"), fence])


def quoted(text: str) -> str:
    """A text as a quotation, with the empty line before a list that MkDocs needs."""
    text = re.sub(r"^You can:\n", "You can:\n\n", text, flags=re.MULTILINE)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def use(world: World) -> str:
    """Lines of code that start an episode of a world and make a random move."""
    lines = GYMNASIUM if len(world.agents) == 1 else PARALLEL if world.turns == "simultaneous" else AEC
    return lines.format(id=world.id)


def call(world: World) -> str:
    """The call that makes a world, with the types and defaults of its parameters."""
    form = "parallel" if world.turns == "simultaneous" and len(world.agents) > 1 else "aec"
    listed = [f'    "{world.id}",', *(f"    {text}," for text in arguments(type(world)))]
    return "\n".join([f"envsuite.make_{form}(", *listed, ")"])


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
        found = row.interval().within(*world.return_range)
        reach = found.reach()
        mean = f"{found.value:.4g} {reach if reach.startswith('+') else '± ' + reach}"
        seats = [f"{value:.4g}" for value in row.returns] if by_seat else []
        lines.append([row.policy, mean, *seats, f"{row.length:.4g}", f"{row.episodes:,}"])
    columns = ["policy", "mean return", *(world.agents if by_seat else ()), "transitions", "episodes"]
    return html_table(columns, lines, code=(0,))


# Pictures.


def pictures(world: World) -> dict[str, Path]:
    """A world's animation and a still picture by their names, made now unless they are kept from before."""
    name = registry.short_name(world.id)
    if STORED:
        return dict.fromkeys((f"{name}.webp", f"{name}.png"), ROOT / "tests" / "data" / name / "picture.png")
    folder = picture_folder(world.id)
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
    return {animation.name: animation, still.name: still}


def picture_folder(id: str) -> Path:
    """Where pictures of a world as its sources are now are kept; those of other versions are removed."""
    digest = hashlib.blake2b(shared_sources(), digest_size=8)
    for path in own_sources(id):
        digest.update(path.read_bytes())
    folder = PICTURES / registry.short_name(id)
    for old in folder.glob("*"):
        if old.name != digest.hexdigest():
            shutil.rmtree(old)
    (folder / digest.hexdigest()).mkdir(parents=True, exist_ok=True)
    return folder / digest.hexdigest()


@cache
def shared_sources() -> bytes:
    """A digest of all sources that are not of one world."""
    own = {path for id in registry.ids() for path in own_sources(id)}
    files = [Path(__file__), *sorted(ROOT.glob("envsuite/**/*.py")), *sorted(ROOT.glob("render/*.py"))]
    return hashlib.blake2b(b"".join(path.read_bytes() for path in files if path not in own)).digest()


def own_sources(id: str) -> list[Path]:
    """The files of a world and of its policies."""
    spec = registry.spec(id)
    found = []
    for module in filter(None, (spec.entry_point.partition(":")[0], spec.policies)):
        path = ROOT / module.replace(".", "/")
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return found
