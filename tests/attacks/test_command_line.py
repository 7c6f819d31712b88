"""The command line under attack: whatever is typed, a user sees one line and exit code 2, and never a traceback.

Calls run in this process. The fast layer plays a sample of them.
"""

import random

import pytest
import typer
from typer.testing import CliRunner

from envsuite import cli, registry
from envsuite.agents import policies

pytestmark = pytest.mark.rooms  # commands of all rooms are called

IDS = [
    "", " ", ":", "::", ":x", "x:", "os:path", "os:", "os.path:join", "json:JSONDecoder", "..:x", ".os:path", "a b:c",
    "a\0b:c", "x:y:z", "builtins:print", "attack_worlds:", "attack_worlds:number", "attack_worlds:Plain",
    "attack_worlds:lab/None-v0", "attack_worlds:lab/", "attack_worlds:Unfinished", "attack_worlds:Failing",
    "attack_worlds:Empty", "attack_broken:World", "attack_leaving:World", "attack_dividing:World",
    "envsuite.core.world:World", "envsuite.games.connect_four:reset", "envsuite.games.connect_four:ConnectFour.x",
    "envsuite.agents:Policy", "numpy:ndarray", "ConnectFour:x", "envsuite/ConnectFour-v9", "envsuite/", "-v0", "/",
    "[bold]", "[/]", "\n", "é", "a" * 5000, "../x", "1", "[1]", "{}", "nan", "ConnectFour ",
]  # fmt: skip

VALUES = [
    "", " ", "=", "nan", "inf", "-inf", "-1", "0", "1e400", "1" + 20 * "0", "1" + 400 * "0", "9" * 5000, "-" + "9" * 30,
    "\udcff", "1e20", "0x10", "1_0", "١", "1.5", "None", "True", "x", "\0", "[]", "{}", "()", "[" * 5000,
    "[1, [2, [3]]]", '{"a": {"b": []}}', "[nan]", "[1e999]", "1+1", "'", '"x"', "[0]*9", "__import__('os')",
    "[[[[1]]]]", "a" * 5000,
    "[[1,2],[3]]", "[true,null]", '["x"]', "\n", "[/]", "9223372036854775808", "18446744073709551616",
]  # fmt: skip

POLICIES = [
    "", " ", ",", "=", "x=", "=x", ":", ":x", "random:", "random:a", "random:a=1", "random:=", "tactical:seed=1",
    "mcts:simulations=1e20", "mcts:simulations=100000000000000000000", "mcts:simulations=0",
    "mcts:exploration=nan", "alpha_beta:depth=-1", "os:path", "os.path:join", "json:JSONDecoder", ".x:Y", "a b:C",
    "attack_worlds:Fifth", "attack_worlds:Shy", "attack_worlds:Shy:x=1", "attack_worlds:Halves",
    "attack_worlds:Far", "attack_worlds:Words", "attack_worlds:Plain",
    "attack_broken:P", "attack_leaving:P", "player_0=", "player_0=random,player_0=", "nobody=random", "[/]", "a" * 5000,
    "tactical,random", "\0", "\n", "human", "envsuite.agents.human:Human", "envsuite.agents:Policy",
    "envsuite.core.policy:CompiledPolicy", "envsuite.solvers.mcts:MCTS:simulations=x",
]  # fmt: skip

NUMBERS = [
    "", "x", "-1", "nan", "inf", "-inf", "1e400", "1" + 20 * "0", "9" * 5000, "1.5", "0x1", "\0", "18446744073709551616"
]  # fmt: skip

#: Worlds that start at once; every kind of parameter is theirs or another's.
WORLD, SECONDS = "TicTacToe", "0.001"


def files(folder):
    """Paths of files that cannot be written."""
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "plain").write_text("{}")
    link = folder / "dangling"
    if not link.is_symlink():
        link.symlink_to(folder / "no" / "where")
    here = [folder / "folder", folder / "no" / "x", folder / "plain" / "x", link, folder / ("n" * 300)]
    return ["", " /nope/x", "/nope/x", "/", ".", "a\0b", "/dev/null/x", *map(str, here)]


def inside(folder):
    """Paths of folders that cannot be made; commands that make the folders that they need try no others."""
    return ["", "\0", str(folder / "plain" / "x"), str(folder / ("n" * 300))]


def contents(folder):
    """Files to read that are no replays."""
    made = []
    for k, data in enumerate(
        [b"", b"{}", b"\0" * 100, b"PK\3\4" + b"x" * 50, b"[" * 10_000, b"\x1f\x8b\x08" + b"x" * 9]
    ):
        path = folder / f"bad{k}.replay"
        path.write_bytes(data)
        made.append(str(path))
    return [*made, *files(folder), "/dev/null", "[/]"]


def calls(folder):
    """All hostile calls: the arguments of each."""
    short = ["--seed", "0", "--steps", "2"]
    for id in IDS:
        for command in ("info", "play", "watch", "match", "tournament", "score", "warmup", "check", "bench", "gallery"):
            yield [command, id]
    for id in registry.ids():
        world = registry.build(id)
        for name in world.parameters:
            for value in random.Random(f"{id} {name}").sample(VALUES, 6):
                yield ["info", id, "-p", f"{name}={value}"]
    for text in [*VALUES, "=x", "x", "==", "rows", "rows=", "rows=1=2"]:
        yield ["watch", "ConnectFour", "--ansi", *short, "-p", text]
        yield ["generate", "maze", "-p", text]
        yield ["generate", "maze", "-p", f"width={text}"]
        yield ["generate", text]
        yield ["match", "Harvest", "--policy", f"greedy:{text}", "--episodes", "1", "--steps", "2"]
        yield ["list", "--family", text]
        yield ["list", "--turns", text]
        yield ["check", WORLD, "--only", text]
        yield ["new", text]
    for policy in POLICIES:
        yield ["watch", WORLD, "--ansi", *short, "--policy", policy]
        yield ["play", WORLD, "--terminal", "--against", policy]
        yield ["match", WORLD, "--episodes", "2", "--policy", policy]
        yield ["tournament", WORLD, "--episodes", "2", "--policies", policy]
        yield ["tournament", WORLD, "--episodes", "2", "--policies", f"random,{policy}"]
        yield ["score", WORLD, "--episodes", "2", "--policy", policy]
    for id in registry.ids():
        for name, spec in policies(id).items():
            for parameter in spec.parameters:
                for number in random.Random(f"{id} {name}").sample(("1" + 20 * "0", "nan", "x", "", "1e300", "-1"), 2):
                    yield ["watch", id, "--ansi", *short, "--policy", f"{name}:{parameter}={number}"]
    for number in NUMBERS:
        yield ["watch", WORLD, "--ansi", "--seed", number]
        yield ["watch", WORLD, "--ansi", "--steps", number]
        yield ["watch", WORLD, "--ansi", "--episodes", number, "--steps", "0"]
        yield ["watch", WORLD, "--ansi", "--fps", number, *short]
        yield ["match", WORLD, "--episodes", number]
        yield ["match", WORLD, "--episodes", "2", "--seed", number]
        yield ["match", WORLD, "--episodes", "2", "--steps", number]
        yield ["tournament", WORLD, "--policies", "random,random:", "--episodes", number]
        yield ["tournament", WORLD, "--policies", "random,tactical", "--schedule", "swiss", "--rounds", number]
        yield ["score", WORLD, "--policy", "random", "--episodes", number]
        yield ["score", WORLD, "--policy", "random", "--episodes", "2", "--seed", number]
        yield ["generate", "maze", "-n", number]
        yield ["generate", "maze", "--seed", number]
        yield ["gallery", WORLD, "--steps", number, "--png", str(folder / "a.png")]
        yield ["gallery", WORLD, "--columns", number, "--png", str(folder / "a.png")]
        yield ["gallery", WORLD, "--seed", number, "--png", str(folder / "a.png")]
        yield ["bench", WORLD, "--num-envs", number, "--seconds", SECONDS]
        yield ["bench", WORLD, "--threads", number, "--seconds", SECONDS]
        yield ["bench", WORLD, "--seconds", number] if number not in ("inf", "1.5") else ["bench", ""]
        yield ["list", "--agents", number]
    for number in ("", "x", "-1", "nan", "inf"):
        yield ["cache", "prune", "--days", number]
    for path in files(folder):
        yield ["watch", WORLD, *short, "--gif", path]
        yield ["watch", WORLD, *short, "--mp4", path]
        yield ["watch", WORLD, *short, "--png", path]
        yield ["watch", WORLD, *short, "--ansi", "--save", path]
        yield ["play", WORLD, "--terminal", "--save", path]
        yield ["gallery", WORLD, "--png", path]
        yield ["generate", "maze", "--png", path]
        yield ["generate", "maze", "--json", path]
        yield ["tournament", WORLD, "--policies", "random,tactical", "--episodes", "2", "--out", path]
        yield ["tournament", WORLD, "--policies", "random,tactical", "--episodes", "2", "--png", path]
        yield ["score", "Telecom", "--policy", "random", "--episodes", "2", "--png", path]
        yield ["build", path, WORLD] if path != str(folder / "folder") else ["build", "", WORLD]
        yield ["render", WORLD, path]
        yield ["export", path, "--html", str(folder / "a.html")]
        yield ["data", path]
        yield ["scale", "status", path]
        yield ["record", WORLD, "--episodes", "2", "--levels", path, "--out", str(folder / "set")]
    for path in inside(folder):
        yield ["record", WORLD, "--episodes", "2", "--out", path]
    for text in ("x", "=", "nan", "0,", "0,2", "1e400", "[]", ""):
        for option in ("--grade", "--policies", "--seed"):
            yield ["record", WORLD, "--episodes", "2", option, text, "--out", str(folder / "set")]
        yield ["render", WORLD, str(folder / "a.png"), "--agent", text]
        yield ["render", WORLD, str(folder / "a.png"), "--size", text]
    for path in inside(folder):
        yield ["cache", "export", path]
    for path in contents(folder):
        for command in ("show", "verify", "watch"):
            yield ["replay", command, path]
        yield ["replay", "diff", path, path]
        yield ["export", path, "--html", str(folder / "a.html")]
    for text in ("", " ", "neon", "[/]", "\0", "a" * 5000):
        yield ["watch", WORLD, *short, "--ansi", "--theme", text]
        yield ["watch", WORLD, *short, "--png", str(folder / "a.png"), "--theme", text]
        yield ["play", WORLD, "--terminal", "--theme", text]
        yield ["gallery", WORLD, "--png", str(folder / "a.png"), "--theme", text]
        yield ["play", WORLD, "--terminal", "--seat", text]
        yield ["generate", "maze", "--split", text]
        yield ["tournament", WORLD, "--schedule", text]
        yield [text]
        yield ["watch", text]
        yield ["replay", text]
        yield ["cache", text]
        yield ["watch", WORLD, f"--x{text}"]


def calls_of_models(folder):
    """Hostile calls of `evaluate` and `train`."""
    match = ["evaluate", WORLD, "--model", "policy:random", "--model", "policy:tactical", "--episodes", "2"]
    train = ["train", WORLD, "--steps", "1", "--out", str(folder / "net.ckpt")]
    for path in [*files(folder), *contents(folder)]:
        for option in ("--out", "--json", "--html"):
            yield [*match, option, path]
        yield ["evaluate", "strategic", "--model", path]
        yield ["match", WORLD, "--policy", f"learned:{path}", "--episodes", "2"]
        for option in ("--out", "--png", "--json"):
            yield [*train, option, path]
    for number in NUMBERS:
        options = ["--turns", "--image", "--concurrency", "--seconds", "--retries", "--max-tokens", "--max-dollars"]
        options += ["--episodes", "--prices", "--option"] + ["--per-minute"] * (number != "1.5")  # which takes minutes
        for option in options:
            yield [*match, option, number]
        for option in ("--steps", "--seed", "--population", "--workers"):
            if (option, number) != ("--steps", "18446744073709551616"):
                yield [*train, option, number]
        for name in ("hidden", "rate", "num_envs", "horizon", "discount", "magnet", "stages", "schedule", "memory"):
            yield [*train, "--set", f"{name}={number}"]
    for policy in POLICIES:
        yield ["evaluate", WORLD, "--model", f"policy:{policy}", "--model", "policy:random", "--episodes", "2"]
        yield ["evaluate", WORLD, "--model", f"python:{policy}", "--model", "policy:random", "--episodes", "2"]
        yield [*match, "--otherwise", policy]
        yield [*train, "--against", policy]
        yield [*train, "--adversary", policy]
    for text in VALUES:
        yield ["evaluate", text, "--model", "policy:random"]
        yield ["evaluate", "strategic", "--size", text, "--model", "policy:random"]
        yield [*match, "-o", f"temperature={text}"]
        yield [*train, "--set", text]
        for call in (match, train):
            yield [*call, "-p", text]
    for id in IDS:
        yield ["evaluate", id, "--model", "policy:random", "--model", "policy:random:"]
        yield ["train", id, "--steps", "1", "--out", str(folder / "net.ckpt")]


def calls_of_serve(folder):
    """Hostile calls of `serve`, whose server does not start in these tests."""
    for path in inside(folder):
        yield ["serve", WORLD, "--folder", path]
    for path in [*files(folder), *contents(folder)]:
        yield ["study", "check", path]
        yield ["study", "run", path, "--folder", str(folder / "study")]
        yield ["study", "export", path, str(folder / "data")]
    for text in [*NUMBERS, *VALUES]:
        for option in ("--tick", "--seed", "--port", "--idle", "--absent", "--standin", "--seats", "-p"):
            yield ["serve", WORLD, option, text]
    for policy in POLICIES:
        yield ["serve", WORLD, "--standin", policy]
        yield ["serve", WORLD, "--private", "--seats", f"player_0={policy}"]
    for id in IDS:
        yield ["serve", id]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one, with modules that cannot be imported; no window can be opened."""
    (tmp_path / "attack_broken.py").write_text("def P(:\n")
    (tmp_path / "attack_dividing.py").write_text("1 / 0\n")
    (tmp_path / "attack_leaving.py").write_text("import sys\n\nsys.exit('leaving')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "none_such")
    monkeypatch.setattr("envsuite.serve.web.serve", lambda *arguments: None)
    command = typer.main.get_command(cli.app)
    monkeypatch.setattr(typer.testing, "_get_command", lambda app: command)  # which is most of the work of a call
    return tmp_path


def problem(arguments):
    """What is wrong with how the command answers a call; None if nothing is."""
    result = CliRunner().invoke(cli.app, arguments, input="")
    lines = result.stderr.rstrip("\n").split("\n")
    if not isinstance(result.exception, (SystemExit, type(None))):
        return f"{type(result.exception).__name__}: {result.exception}"
    if "Traceback" in result.output or "unexpected" in result.stderr:
        return result.output[-500:]
    if result.exit_code == 2 and (len(lines) != 1 or not lines[0].startswith("Error: ")):
        return result.stderr[:500]
    failed = {"check": " failed: ", "evaluate": "are not finished: "}.get(arguments[0], "\0")
    if result.exit_code not in (0, 2) and failed not in result.stderr:
        return f"exit code {result.exit_code}"
    return None


def attack(listed, counted):
    found = [(arguments, text) for arguments in listed if (text := problem(arguments))]
    counted("hostile calls answered in a line", len(listed))
    assert not found, "\n".join(f"{str(arguments):.200}: {text}" for arguments, text in found[:20])


def test_a_sample(folder, counted):
    listed = [one for one in calls(folder) if one[0] not in ("bench", "score", "list", "tournament")]
    attack(random.Random(0).sample(listed, 50), counted)


@pytest.mark.slow
def test_all(folder, counted):
    problem(["list"])  # a new version reads the facts of all worlds once, and says so
    attack([*calls(folder), *calls_of_models(folder), *calls_of_serve(folder)], counted)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["info", "os:path"], "'os:path' is no World; a world is a class that derives from"),
        (["info", ":x"], "':x' must have the form module:Class or module:namespace/Name-v0"),
        (["info", "attack_dividing:World"], "attack_dividing.py, line 1, in <module>: ZeroDivisionError"),
        (["info", "attack_leaving:World"], "'attack_leaving:World' cannot be loaded: attack_leaving.py, line 3"),
        (["info", "attack_broken:World"], "SyntaxError: invalid syntax (attack_broken.py, line 1)"),
        (["info", "attack_worlds:Unfinished"], "Unfinished must call self.define(...) in its constructor"),
        (["info", "attack_worlds:Failing"], "in __init__: ZeroDivisionError"),
        (["watch", "attack_worlds:Blind", "--ansi"], "in scene: the record has no field 'nothing'"),
        (["watch", WORLD, "--gif", ""], "'' is no name of a file"),
        (["watch", WORLD, "--save", "/nope/x"], "'/nope/x' cannot be written: there is no folder /nope"),
        (["watch", WORLD, "--mp4", "a.txt"], "'a.txt' must end in one of .mp4, .mkv, .mov"),
        (["watch", WORLD, "--policy", "attack_worlds:Words", "--ansi"], "in act: KeyError: 'word'"),
        (["watch", WORLD, "--fps", "nan"], "Invalid value for '--fps'"),
        (["serve", WORLD, "--host", "203.0.113.1"], "--host '203.0.113.1' --port 8000: cannot listen there: "),
        (["cache", "prune", "--days", "inf"], "inf is no finite number"),
        (["watch", WORLD, "--gfi", "x"], "No such option: --gfi"),
        (["wacth", WORLD], "No such command 'wacth'. Did you mean 'watch'"),
    ],
)
def test_answers(folder, arguments, message):
    result = CliRunner().invoke(cli.app, arguments)
    assert result.exit_code == 2 and message in result.stderr, result.output


def test_files_are_checked_before_the_episode(folder, monkeypatch):
    """Nothing is played for a file that cannot be written."""
    from envsuite.core.batch import Batch

    monkeypatch.setattr(Batch, "run", lambda self: pytest.fail("played"))
    for k, path in enumerate(files(folder)):
        option = ("--gif", "--png", "--save")[k % 3]
        result = CliRunner().invoke(cli.app, ["watch", WORLD, option, path])
        assert result.exit_code == 2 and result.stderr.startswith("Error: "), result.output
