"""The command line under attack: whatever is typed, a user sees one line and exit code 2, and never a traceback.

Calls run in this process. The fast layer plays a sample of them.
"""

from envsuite import registry

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
    "1e20", "0x10", "1_0", "١", "1.5", "None", "True", "x", "\0", "[]", "{}", "()", "[" * 5000, "[1, [2, [3]]]",
    '{"a": {"b": []}}', "[nan]", "[1e999]", "1+1", "'", '"x"', "[0]*9", "__import__('os')", "[[[[1]]]]", "a" * 5000,
    "[[1,2],[3]]", "[true,null]", '["x"]', "\n", "[/]", "9223372036854775808", "18446744073709551616",
]  # fmt: skip

POLICIES = [
    "", " ", ",", "=", "x=", "=x", ":", ":x", "random:", "random:a", "random:a=1", "random:=", "tactical:seed=1",
    "mcts:simulations=1e20", "mcts:simulations=100000000000000000000", "mcts:world=1", "mcts:simulations=0",
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
    """Paths that cannot be written."""
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "plain").write_text("{}")
    link = folder / "dangling"
    if not link.is_symlink():
        link.symlink_to(folder / "no" / "where")
    here = [folder / "folder", folder / "no" / "x", folder / "plain" / "x", link, folder / ("n" * 300)]
    return ["", " /nope/x", "/nope/x", "/", ".", "a\0b", "/dev/null/x", "/proc/self/x", *map(str, here)]


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
            for value in VALUES:
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
        from envsuite.agents import policies

        for name, spec in policies(id).items():
            for number in ("1" + 20 * "0", "nan", "x", "", "1e300", "-1"):
                for parameter in spec.parameters:
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
        yield ["cache", "prune", "--days", number]
        yield ["list", "--agents", number]
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
        yield ["cache", "export", path]
        yield ["export", path, "--html", str(folder / "a.html")]
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
        yield ["watch", WORLD, f"--{text}"]
        yield ["cache", "export", text]
