"""Makes pages from the code while MkDocs builds the documentation, and the signatures that editors read.

    python docs/pages.py    # writes envsuite/__init__.pyi

It holds the signatures of `make_aec`, `make_parallel` and `make_vec` with the parameters of each world. A world's page
has an animation of an episode between its policies, lines of code that use the world, its docstring, tables of what the
code declares, and reference scores. Pictures are kept in build/docs-pictures until a source of the package changes.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import shutil
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envsuite
from envsuite import registry
from envsuite.cli.common import agents_of, page, summary
from envsuite.cli.gallery import cast, episode
from envsuite.cli.look import facts, tables
from envsuite.core.parameters import NEEDED, signature
from envsuite.learn import tasks

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

#: The functions that make worlds, and the interfaces whose options they take.
MAKERS = {
    "make_aec": "envsuite.interfaces.aec:AEC",
    "make_parallel": "envsuite.interfaces.parallel:Parallel",
    "make_vec": "envsuite.interfaces.vector:Vector",
}

#: The pages of the API reference: what each documents.
REFERENCE = {
    "Environments": ("envsuite", "envsuite.interfaces.aec.AEC", "envsuite.interfaces.parallel.Parallel",
                     "envsuite.interfaces.gym.Seat", "envsuite.interfaces.vector.Vector",
                     "envsuite.interfaces.views.Views", "envsuite.interfaces.flattening.Flattening"),
    "Worlds": ("envsuite.core.world", "envsuite.core.kernel", "envsuite.core.parameters.Between",
               "envsuite.core.parameters.Horizon", "envsuite.registry", "envsuite.testing"),
    "Random functions": ("envsuite.core.random",),
    "Scenes": ("envsuite.render.scene", "envsuite.render.frames"),
    "Policies": ("envsuite.core.policy", "envsuite.agents.language", "envsuite.agents.human"),
    "Levels": ("envsuite.generators.base",),
    "Solvers": ("envsuite.solvers.mcts", "envsuite.solvers.alpha_beta", "envsuite.solvers.planners",
                "envsuite.solvers.game_tree", "envsuite.solvers.cfr", "envsuite.solvers.psro",
                "envsuite.solvers.equilibria", "envsuite.solvers.model", "envsuite.solvers.planning",
                "envsuite.solvers.learners", "envsuite.solvers.demonstrators", "envsuite.solvers.inverse"),
    "Learning": ("envsuite.learn.ppo", "envsuite.learn.pool", "envsuite.learn.population",
                 "envsuite.learn.adversary", "envsuite.learn.resume", "envsuite.learn.learned",
                 "envsuite.learn.curve"),
    "Evaluation": ("envsuite.evaluation.matches", "envsuite.evaluation.tournaments", "envsuite.evaluation.ratings",
                   "envsuite.evaluation.reference", "envsuite.evaluation.schelling", "envsuite.evaluation.metrics",
                   "envsuite.evaluation.statistics", "envsuite.evaluation.reward_distances",
                   "envsuite.evaluation.evolution", "envsuite.evaluation.accumulation"),
    "Language models": ("envsuite.models.client", "envsuite.models.protocol", "envsuite.models.answers",
                        "envsuite.models.harness", "envsuite.models.suites", "envsuite.models.results",
                        "envsuite.models.versus", "envsuite.models.training"),
    "Scale": ("envsuite.scale.running", "envsuite.scale.job", "envsuite.scale.executors", "envsuite.scale.ledger",
              "envsuite.evaluation.rollouts"),
    "Data sets": ("envsuite.data.recording", "envsuite.data.recorded", "envsuite.data.exports", "envsuite.data.solved"),
    "Episodes": ("envsuite.episodes.replay", "envsuite.episodes.recorder", "envsuite.episodes.timeline"),
}  # fmt: skip

#: An animation's seed, transitions, pictures a second, and pixels of its longest side and of a still picture's.
SEED, STEPS, FPS, SIZE, STILL = 1, 40, 5, 480, 320

#: A paragraph of a docstring that begins a section: ``**Rules.** The deck has``, or ``**Differences** from``.
SECTION = re.compile(r"^\*\*([A-Z][\w ]*)\.?\*\*[ \n]*(.)", re.MULTILINE)


# What MkDocs calls.


def on_config(config: Any) -> Any:
    """Add the worlds and the reference to the navigation."""
    sections = {title: pages for entry in config.nav for title, pages in entry.items()}
    for title, worlds in families().items():
        names = [registry.short_name(world.id) for world in worlds]
        sections["Worlds"].append({title: [{name: f"worlds/{name}.md"} for name in names]})
    sections["Reference"] += [{title: reference_path(title)} for title in REFERENCE]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the worlds' pages and pictures, the tutorial, and the reference."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "worlds/index.md", content=overview()))
    files.append(File.generated(config, "tutorial.md", content=notebook(ROOT / "docs" / "tutorial.ipynb")))
    for title in REFERENCE:
        files.append(File.generated(config, reference_path(title), content=reference_page(title)))
    for world in (world for worlds in families().values() for world in worlds):
        name = registry.short_name(world.id)
        files.append(File.generated(config, f"worlds/{name}.md", content=world_page(world)))
        for picture in pictures(world):
            files.append(File.generated(config, f"worlds/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put tables that are made from the code or from measurements where a page has their marker."""
    return with_tables(markdown)


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
    return "\n".join([*parts, "## Table", worlds_table()])


def worlds_table() -> str:
    """All worlds as a table: their agents, and what they were verified against."""
    rows = []
    for title, worlds in families().items():
        for world in worlds:
            agents = agents_of(world)
            agents += "" if agents == "1" else f", {TURNS[world.turns]}"
            rows.append([registry.short_name(world.id), title, summary(type(world)), agents, world.verified])
    return html_table(["world", "family", "what it is", "agents", "verified against"], rows, code=(0,))


def with_tables(text: str) -> str:
    """A page's Markdown with the tables that its markers name: the keys of the window, the measured speeds."""
    if "<!-- keys -->" in text:
        from envsuite.render.player import Table

        rows = [[key, words] for key, (_, words) in Table.keys.items()]
        text = text.replace("<!-- keys -->", html_table(["key", "what it does"], rows, code=(0,)))
    if "<!-- learned -->" in text:
        text = text.replace("<!-- learned -->", html_table(tasks.HEAD, tasks.lines(tasks.table())))
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
    parts = [f"# {title}", *(f"::: {name}" for name in REFERENCE[title])]
    if title == "Environments":
        parts[1] += "\n    options:\n      filters: ['!^make_(aec|parallel|vec)$']"
        parts[2:2] = [maker(name) for name in MAKERS]
    return "\n\n".join(parts) + "\n"


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
        "## In the code\n\nRead from the code, with default parameters.",
        f"```python\n{call(world)}\n```",
    ]
    for heading, columns, rows in tables(world):
        parts.append(f"### {heading}\n\n{html_table(columns, rows, code=() if heading == 'Actions' else (0,))}")
    parts += scores(world)
    return "\n\n".join(parts) + "\n"


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


# Signatures.


def arguments(cls: Any) -> list[str]:
    """The parameters of a world's class as Python writes them: ``players: int = 2``."""
    return [argument(name, hint, default) for name, (hint, default) in signature(cls).items()]


def argument(name: str, hint: Any, default: Any) -> str:
    """A parameter with its type and default, if it has them."""
    text = name if hint is NEEDED else f"{name}: {hint if isinstance(hint, str) else typed(hint)}"
    return text if default is NEEDED else f"{text} = {'...' if default is ... else repr(default)}"


def typed(hint: Any) -> str:
    """A type hint as Python writes it, without bounds."""
    kind, options = typing.get_origin(hint), typing.get_args(hint)
    if kind is typing.Annotated:
        return typed(options[0])
    if kind in (typing.Union, types.UnionType):
        return " | ".join(map(typed, options))
    if kind is typing.Literal:
        return f"Literal[{', '.join(map(repr, options))}]"
    if kind is not None:
        return f"{kind.__name__}[{', '.join('...' if option is ... else typed(option) for option in options)}]"
    return {list: "list[Any]", tuple: "tuple[Any, ...]", types.NoneType: "None"}.get(hint, hint.__name__)


def stubs() -> str:
    """The text of envsuite/__init__.pyi: the package's functions, those that make a world once for each world."""
    parts = []
    for name in envsuite.__all__:
        function = getattr(envsuite, name)
        if name in MAKERS:
            parts += overloads(name, function)
        elif function.__module__ == "envsuite":
            parts.append(stub(name, function, listed(function)))
    taken = ", ".join(f"{n} as {n}" for n in envsuite.__all__ if getattr(envsuite, n).__module__ != "envsuite")
    return "\n".join([STUB_HEAD.format(taken=taken), *parts]) + "\n"


#: The beginning of the stubs.
STUB_HEAD = """\
# Written by `python docs/pages.py` from the code.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from gymnasium.vector import AutoresetMode

from envsuite.agents import Policy
from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import Vector
from envsuite.registry import __version__ as __version__
from envsuite.registry import {taken}
"""


def listed(function: Callable[..., Any]) -> list[str]:
    """A function's parameters as Python writes them."""
    parameters = inspect.signature(function).parameters.values()
    return ["**" * (p.kind is p.VAR_KEYWORD) + argument(p.name, p.annotation, p.default) for p in parameters]


def stub(name: str, function: Callable[..., Any], parameters: Sequence[str]) -> str:
    """A function without its body."""
    return f"def {name}({', '.join(parameters)}) -> {inspect.signature(function).return_annotation}: ..."


def options(name: str) -> list[str]:
    """What the interface behind a function takes besides the function's own parameters and those of the world."""
    own = inspect.signature(getattr(envsuite, name)).parameters
    known = inspect.signature(registry.resolve(MAKERS[name])).parameters.values()
    # Not their defaults, which may depend on the process.
    return [argument(p.name, p.annotation, ...) for p in known if p.kind is p.KEYWORD_ONLY and p.name not in own]


def overloads(name: str, function: Callable[..., Any]) -> list[str]:
    """A function that makes a world: once for each world with its parameters, and for the worlds of other packages."""
    id, *own, others = listed(function)
    found = []
    for world in registry.ids():
        label = f'id: Literal["{world}", "{registry.short_name(world)}"]'
        parameters = [label, *own, "*", *arguments(registry.spec(world).load()), *options(name)]
        found.append(f"@overload\n{stub(name, function, parameters)}")
    parameters = ["id: str | type[World] | World", *own, *options(name), others]
    return [*found, f"@overload\n{stub(name, function, parameters)}"]


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
    (ROOT / "envsuite" / "__init__.pyi").write_text(stubs(), encoding="utf-8")
