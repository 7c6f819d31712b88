"""The command line: every command, in windows without a display, in the terminal, and with wrong input."""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pygame
import pytest
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

import envsuite
from envsuite import cli, generators, registry
from envsuite.agents import Policy
from envsuite.agents.human import read, shorten
from envsuite.cli import common, measure
from envsuite.compile import cache
from envsuite.compile.cache import cache_folder
from envsuite.episodes.replay import Replay
from envsuite.episodes.session import Session
from envsuite.evaluation import matches, reference, tournaments
from envsuite.evaluation.statistics import Interval, wilson_interval
from envsuite.games.connect_four import ConnectFour
from envsuite.interfaces.aec import AEC
from envsuite.render.window import Window

COMMANDS = [
    "list", "info", "play", "watch", "gallery", "export", "generate", "match", "tournament", "score", "train", "bench",
    "check", "scale", "new", "warmup", "replay", "cache",
]  # fmt: skip


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Tables are not broken into lines."""
    monkeypatch.setattr(common.out, "_width", 200)
    monkeypatch.setattr(common.err, "_width", 200)


def envs(*arguments, typed=None, code=0):
    """Run the command; its whole output."""
    result = CliRunner().invoke(cli.app, list(arguments), input=typed)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result.output


def test_help_is_quick():
    script = (
        "import sys\nfrom typer.testing import CliRunner\nfrom envsuite.cli import app\n"
        "result = CliRunner().invoke(app, ['--help'])\nassert result.exit_code == 0\nprint(result.output)\n"
        "assert not {'numba', 'pygame'} & set(sys.modules), 'imported'"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in COMMANDS)
    assert "envsuite play ConnectFour" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_commands_has_examples(command):
    assert f"envsuite {command}" in envs(command, "--help").partition("Examples")[2]


def test_examples_name_what_there_is():
    lines = "".join(envs(*command, "--help") for command in ([], *([name] for name in COMMANDS))).splitlines()
    examples = [line.split() for line in lines if re.match(r" envsuite \w+", line)]
    assert len(examples) > 15
    for _, command, *rest in examples:
        assert command in COMMANDS
        if command == "new":  # what it names is not there yet
            continue
        ids = [word for word in rest if word[0].isupper()]
        world = common.make(ids[0]) if ids else None
        for option in ("--policy", "--against", "--policies"):
            if option in rest:
                text = rest[rest.index(option) + 1]
                if command == "train" and text == "pool":  # older selves
                    continue
                if option == "--policies":
                    names = common.listed_policies(text)
                else:
                    names = common.seats_of(world, text, list(world.agents)).values()
                for name in names:
                    assert isinstance(common.policy_of(world, name), Policy)


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "envsuite.cli", "--version"], capture_output=True, text=True)
    assert done.stdout == f"envsuite {envsuite.__version__}\n"


def test_list():
    output = envs("list")
    for id in envsuite.ids():
        name = registry.short_name(id)
        assert len([line for line in output.splitlines() if line.split()[:1] == [name]]) == 1
    assert "cannot be loaded" not in output
    assert re.search(r"ConnectFour +2 +sequential +\S", output) and re.search(r"Harvest +2-16 +simultaneous", output)


def test_list_is_cut_to_the_terminal(monkeypatch):
    monkeypatch.setattr(common.out, "_width", 80)
    monkeypatch.setattr(common.out, "_force_terminal", True)
    lines = envs("list", "--family", "social").splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert re.search(r"AllelopathicHarvest +2-16 +simultaneous +Berries .*…", "\n".join(lines))


def test_list_filters():
    def found(*arguments):
        return [fact["id"] for fact in json.loads(envs("list", "--json", *arguments))]

    assert found() == envsuite.ids()
    assert found("poker") == ["envsuite/KuhnPoker-v0", "envsuite/LeducPoker-v0"]
    assert set(found("--family", "dual_control", "--turns", "simultaneous")) < set(found("--family", "dual_control"))
    assert "envsuite/Harvest-v0" in found("--agents", "16") and "envsuite/Chess-v0" not in found("--agents", "16")
    fact = json.loads(envs("list", "--json", "KuhnPoker"))[0]
    assert (fact["fewest"], fact["most"], fact["turns"], fact["utility"]) == (2, 10, "sequential", "zero-sum")
    assert "no world fits" in envs("list", "no such words", code=2)
    assert "'game' is no family; did you mean 'games'?" in envs("list", "--family", "game", code=2)


def test_list_survives_a_world_that_cannot_be_loaded(monkeypatch):
    monkeypatch.setitem(registry._SPECS, "lab/Lost-v0", registry.Spec("lab/Lost-v0", "no_such_module:Lost"))
    output = envs("list")
    assert re.search(r"lab/Lost +cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'", output)
    assert "KuhnPoker " in output


def test_info():
    output = envs("info", "ConnectFour", "-p", "columns=9")
    assert "envsuite/ConnectFour-v0" in output
    assert re.search(r"columns +an integer from 2 to 16 +7 +9 *\n", output)
    assert re.search(r"all +Box \(6, 9, 2\) int8, from 0 to 1", output)
    assert re.search(r"all +9 +column 1, column 2,.*column 9", output)
    assert "Chooses uniformly among the legal actions." in output
    assert "Two players drop discs" in output and "**" not in output  # the page, as Markdown


def test_info_of_unlike_agents():
    output = envs("info", "OffSwitch")
    assert re.search(r"robot +3 +act, switch off, defer", output)
    assert re.search(r"human +2 +allow, switch off", output)
    assert re.search(r"utility +Box \(1,\) float64", output)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["info", "ConectFour"], "no world has the id 'ConectFour'; did you mean 'envsuite/ConnectFour-v0'?"),
        (["info", "no_such_module:World"], "'no_such_module:World' cannot be loaded: No module named"),
        (["info", "envsuite.games.connect_four:Four"], "has no attribute 'Four'"),
        (["watch", "ConnectFour", "-p", "row=5"], "ConnectFour has no parameter 'row'; did you mean 'rows'?"),
        (["play", "ConnectFour", "-p", "rows=many"], "rows='many' must be an integer from 2 to 16"),
        (["play", "ConnectFour", "-p", "rows=99"], "rows=99 must be an integer from 2 to 16"),
        (["play", "ConnectFour", "-p", "rows"], "-p 'rows' must have the form name=value"),
        (["play", "ConnectFour", "--talk", "free"], "has no acts of speech"),
        (["play", "Werewolf", "--talk", "loud"], "mode='loud' must be one of typed, beside, free"),
        (["play", "ConnectFour", "--seat", "me"], "'me' must be one of player_0, player_1"),
        (["play", "ConnectFour", "--against", "randm"], "no policy 'randm'; did you mean 'random'"),
        (["watch", "ConnectFour", "--policy", "player=random"], "no agent 'player'; did you mean"),
        (["watch", "KuhnPoker", "--policy", "equilibrium:beta=1"], "no parameter 'beta'"),
        (["watch", "ConnectFour", "--seed", str(2**64)], "must be an integer from 0 to 2**64 - 1"),
        (
            ["watch", "ConnectFour", "--png", "no/such/folder/a.png"],
            "cannot be written: there is no folder no/such/folder",
        ),
        (["match", "ConnectFour", "--policy", "randm"], "no policy 'randm'; did you mean 'random'"),
        (["match", "ConnectFour", "--policy", "no_such_module:Mine"], "'no_such_module:Mine' cannot be loaded"),
        (["match", "ConnectFour", "--policy", "test_cli:Broken"], "test_cli:Broken is no Policy"),
        (["match", "ConnectFour", "--policy", "test_cli:Edges:side=1"], "test_cli:Edges has no parameter 'side'"),
        (["tournament", "FrozenLake"], "has one agent: a tournament needs two"),
        (["tournament", "ConnectFour", "--policies", "random"], "two entrants or more"),
        (["tournament", "ConnectFour", "--schedule", "swis"], "schedule='swis' must be one of round_robin, swiss"),
        (["score", "Janggi"], "no world has the id 'Janggi'"),
        (["score", "ConnectFour", "--png", "a.png"], "has no report of its own"),
        (["bench", "Janggi"], "no world has the id 'Janggi'"),
        (["warmup", "Janggi"], "no world has the id 'Janggi'"),
        (["check", "Janggi"], "no world has the id 'Janggi'"),
        (["check", "ConnectFour", "--only", "leevels"], "did you mean 'check_levels'"),
    ],
)
def test_errors(arguments, message):
    output = envs(*arguments, code=2)
    assert message in output and "Error: " in output


def test_seats():
    world = common.make("KuhnPoker", ["players=3"])
    seats = lambda text: common.seats_of(world, text, list(world.agents))  # noqa: E731
    assert seats(None) == dict.fromkeys(world.agents, "equilibrium")
    assert seats("random") == dict.fromkeys(world.agents, "random")
    assert seats("player_1=random") == {"player_0": "equilibrium", "player_1": "random", "player_2": "equilibrium"}
    several = seats("player_0=random:a=1,b=2,player_2=equilibrium:alpha=0.1")
    assert several == {"player_0": "random:a=1,b=2", "player_1": "equilibrium", "player_2": "equilibrium:alpha=0.1"}
    assert seats("equilibrium:alpha=0.1,b=2") == dict.fromkeys(world.agents, "equilibrium:alpha=0.1,b=2")


def test_long_lists_are_shortened():
    names = [f"catch {k}" for k in range(101)] + ["pass", "agree"] + [f"ask player_{k}" for k in range(5)]
    assert shorten(names) == ["catch 0 … catch 100", "pass", "agree", "ask player_0 … ask player_4"]
    assert shorten(names[:20]) == names[:20]
    words = [f"{letter}{other}" for letter in "abcdef" for other in "abcdef"]
    assert shorten(words) == [*words[:16], "… 17 more …", *words[-3:]]


# In the terminal.


def kuhn(seed, actions):
    """A hand of Kuhn poker, player_0 playing these against the equilibrium: the environment at its end."""
    env, policy = AEC("KuhnPoker"), envsuite.make_policy("equilibrium", "KuhnPoker")
    env.reset(seed)
    policy.reset(seed)
    left = list(actions)
    while not all(env.terminations.values()):
        seen, *_, info = env.last()
        mine = env.agent_selection == "player_0"
        env.step(left.pop(0) if mine else policy.act(seen, info["action_mask"], 1))
    return env


def test_play_in_the_terminal():
    for seed in range(4):
        output = envs("play", "KuhnPoker", "--terminal", "--seed", str(seed), typed="pass\nbet\n")
        end = kuhn(seed, [0, 1])
        returns = ", ".join(f"{agent} {reward:g}" for agent, reward in end.rewards.items())
        assert f"seed {seed}" in output and "player_1 is played by equilibrium" in output
        assert f"The episode is over. Returns: {returns}" in output
        assert end.text("player_0") in output
        assert "Legal: pass (p), bet (b)" in output


def test_play_with_words_keeps_them_in_the_replay(tmp_path):
    path = str(tmp_path / "it.replay")
    typed = "say Hello.\npass\nquit\n"
    options = ["--terminal", "--seed", "1", "--talk", "free", "--save", path]
    output = envs("play", "SimpleNegotiation", *options, typed=typed.replace("say", "/say"))
    assert 'You will say: "Hello."' in output
    assert [line.text for line in Replay.load(path).words.lines if line.agent == 0] == ["Hello."]
    assert 'player_0: "Hello."' in envs("replay", "show", path, "--talk")


def test_play_hides_what_the_seat_may_not_know():
    for seed in range(6):
        output = envs("play", "KuhnPoker", "--terminal", "--seed", str(seed), typed="")
        first, second = kuhn(seed, [1, 1]).level["cards"]
        picture = output.partition("leaves.\n")[2].partition("You are player_0")[0]
        assert "JQK"[first] in picture and "JQK"[second] not in picture
        assert "player_1:" not in output


@pytest.mark.parametrize("id", envsuite.ids())
def test_every_world_is_shown(id):
    output = envs("play", id, "--terminal", "--seed", "1", typed="")
    assert "Your move, " in output and "Legal: " in output
    assert "t = 1" in envs("watch", id, "--ansi", "--seed", "1", "--steps", "1", "--policy", "random")


def test_wrong_answers_are_explained_and_nothing_happens():
    output = envs(
        "play",
        "ConnectFour",
        "-p",
        "rows=2",
        "--against",
        "random",
        "--terminal",
        "--seed",
        "1",
        typed="hello\n\n9\n4\nrules\n",
    )
    assert "'hello' names no action; known: column 1" in output
    assert "'' names no action" in output
    assert "'9' names no action" in output
    assert "Two players drop discs" in output  # the rules
    assert output.count("Your move, player_0.") == 2  # at the start and after the move
    assert output.endswith("Goodbye.\n")
    # "4" is the key of column 4, the action of number 3.
    assert len(re.findall(r"^(\. ){3}X", output, re.MULTILINE)) == 1
    assert re.search(r"player_1: column \d", output)


def test_illegal_moves_are_explained():
    typed = "column 1\ncolumn 1\ncolumn 1\ncolumn 1\nquit\n"
    output = envs(
        "play", "ConnectFour", "-p", "rows=2", "--against", "random", "--terminal", "--seed", "1", typed=typed
    )
    assert "action 0 ('column 1') of player_0 is illegal here; legal: 1 ('column 2')" in output


@pytest.mark.parametrize("typed", ["quit\n", ""])
def test_leaving(typed):
    assert envs("play", "ConnectFour", "--against", "random", "--terminal", typed=typed).endswith("Goodbye.\n")


def test_part_of_a_name_will_do():
    world = common.make("OffSwitch")
    mask = np.ones(3, np.int8)
    for answer in ("off", "switch", "swi", "switch off"):
        assert read(world, 0, mask, answer) == 1


# In a window.


@pytest.fixture
def keys(monkeypatch):
    """Presses keys in the windows that commands open, one at each of the first times that they wait."""

    def given(*names):
        waiting, inner = iter(names), Window.events

        def events(window, timeout=0.0):
            name = next(waiting, None)
            if name is None:
                pygame.event.post(pygame.event.Event(pygame.QUIT))
            elif name:
                code = pygame.key.key_code(name)
                pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode="", scancode=0))
            return inner(window, min(timeout, 0.01))

        monkeypatch.setattr(Window, "events", events)

    return given


def test_play_in_a_window(keys, tmp_path):
    keys("4", *[""] * 80, "3", *[""] * 80)
    path = tmp_path / "game.replay"
    output = envs("play", "ConnectFour", "--against", "random", "--seed", "5", "--save", str(path))
    assert "you are player_0" in output and "player_1 is played by random" in output and "Wrote" in output
    replay = Replay.load(path)
    assert len(replay) >= 3 and replay.actions[0, 0] == 3 and replay.actions[2, 0] == 2
    assert replay.players == {"player_0": "a person", "player_1": "random"}


def test_a_person_plays_with_new_seeds(keys, monkeypatch):
    """A short seed would give away hidden cards: two plays differ, and so do the episodes of one."""
    seeds = set()
    for _ in range(2):
        output = envs("play", "KuhnPoker", "--terminal", typed="pass\nbet\n")
        assert "new seeds  you are" in output
        seeds.add(int(re.search(r"The last seed was (\d+); --seed repeats it", output)[1]))
    assert len(seeds) == 2 and max(seeds) > 10**6
    keys("n", "escape")
    output = envs("watch", "KuhnPoker", "--policy", "random", "--fps", "0.1")
    assert int(re.search(r"from new seeds, the last one (\d+)", output)[1]) > 10**6
    session = Session(registry.build("KuhnPoker"), "random", None)
    first = session.start.seed
    session.begin()
    assert abs(session.start.seed - first) > 10**6
    assert "you are player_0" in envs("play", "ConnectFour", "--terminal", typed="")  # nothing is hidden there


def test_watch_in_a_window(keys):
    keys("space", "right", "right", "left", "escape")
    output = envs("watch", "KuhnPoker", "--policy", "random", "--seed", "1", "--fps", "0.1")
    assert "1 episode from seed 1" in output


def test_watching_a_replay(keys, tmp_path):
    path = str(tmp_path / "game.replay")
    envs("watch", "KuhnPoker", "--seed", "1", "--ansi", "--save", path)
    keys("space", "end", "left", "escape")
    assert envs("replay", "watch", path).strip() == ""


def test_without_a_display(monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_VIDEODRIVER", "none_such")
    output = envs("watch", "ConnectFour", code=2)
    assert "no display" in output and "--gif FILE, --png FILE or --ansi" in output
    output = envs("play", "KuhnPoker", "--seed", "3", typed="p\nquit\n")
    assert "There is no display for a window: playing in the terminal." in output
    assert "You are player_0 of 2." in output


# Watching.


def test_watch_writes_files(tmp_path):
    gif, png = tmp_path / "a.gif", tmp_path / "a.png"
    output = envs("watch", "ConnectFour", "--policy", "random", "--seed", "2", "--gif", str(gif), "--png", str(png))
    image = Image.open(gif)
    count = int(re.search(r"(\d+) pictures", output)[1])
    assert image.n_frames == count > 7 and image.info["duration"] == 120  # 8 pictures a second, in hundredths
    picture = Image.open(png)
    assert picture.format == "PNG" and len(picture.getcolors(100_000)) > 3
    envs("watch", "ConnectFour", "--policy", "random", "--gif", str(gif), "--steps", "3")
    assert Image.open(gif).n_frames == 4


def test_watch_in_the_terminal_is_repeatable():
    first, second, third = (envs("watch", "KuhnPoker", "--ansi", "--seed", seed) for seed in "445")
    assert first == second != third
    assert "t = 0" in first and "t = 2" in first


def test_watch_prints_the_returns():
    options = ["--seed", "7", "--episodes", "20", "--ansi", "--policy", "player_0=random,player_1=equilibrium"]
    output = envs("watch", "KuhnPoker", *options)
    returns = []
    for seed in range(7, 27):
        env = AEC("KuhnPoker")
        seats = {name: envsuite.make_policy(name, "KuhnPoker") for name in ("random", "equilibrium")}
        env.reset(seed)
        for policy in seats.values():
            policy.reset(seed)
        while not all(env.terminations.values()):
            a = env.number(env.agent_selection)
            seen, *_, info = env.last()
            env.step(list(seats.values())[a].act(seen, info["action_mask"], a))
        returns.append(list(env.rewards.values()))
    means = np.mean(returns, axis=0)
    assert "20 episodes from seed 7" in output
    assert re.search(rf"player_0 +random +{means[0]:.4g} ", output)
    assert re.search(rf"player_1 +equilibrium +{re.escape(f'{means[1]:.4g}')} ", output)


def test_watch_is_cut():
    output = envs("watch", "ConnectFour", "--policy", "random", "--steps", "2", "--ansi")
    assert "the last one cut" in output and "t = 2" in output and "t = 3" not in output


# Comparing.


class Edges(Policy):
    """The first or the last legal action."""

    name = "edges"

    def __init__(self, world, last: bool = False):
        self.count, self.end = world.num_actions, -1 if last else 0

    def act(self, observation, mask, agent=0):
        assert len(mask) == self.count
        return int(np.flatnonzero(mask)[self.end])


def row_of(output, *start):
    """The words of the line that starts with these."""
    return next(line.split() for line in output.splitlines() if line.split()[: len(start)] == list(start))


def test_match():
    output = envs("match", "ConnectFour", "--policy", "player_0=tactical,player_1=random", "--seed", "3")
    result = matches.play("ConnectFour", ["tactical", "random"], 200, 3)
    won, drawn, lost = result.outcomes()[0]
    low, high = wilson_interval(round(200 * won), 200)[1:]
    mean = result.means()[0]
    assert "envsuite/ConnectFour-v0, 200 episodes from seed 3" in output
    shares = [f"{100 * share:.1f}%" for share in (won, low, high, drawn, lost)]
    expected = ["player_0", "tactical", f"{mean.value:.4g}", f"{(mean.high - mean.low) / 2:.2g}", *shares]
    assert row_of(output, "player_0") == expected
    assert f"Mean length {result.lengths.mean():.4g} transitions" in output


def test_match_in_all_seats():
    output = envs("match", "ConnectFour", "--policy", "player_0=tactical,player_1=random", "--rotate")
    result = matches.rotated("ConnectFour", ["tactical", "random"], 200)
    assert "200 episodes in each of 2 seatings" in output
    assert row_of(output, "player_0")[2] == f"{result.returns[:, 0].mean():.4g}"


def test_results_are_resumed_and_shown(tmp_path):
    """With --out and --workers, a command shows what it shows without them, and `scale status` what it wrote."""
    file, levels = str(tmp_path / "kuhn.jsonl"), str(tmp_path / "levels.jsonl")
    command = ("match", "KuhnPoker", "--policy", "random", "--episodes", "5000", "--rotate")
    shown = envs(*command).partition("Mean length")[0]
    assert envs(*command, "--workers", "2", "--out", file).startswith(shown)
    with open(file) as lines:
        assert len(lines.readlines()) == 4  # two blocks for each of two seatings
    assert envs(*command, "--out", file).startswith(shown)
    assert "its seed is 0, not 1" in envs(*command, "--out", file, "--seed", "1", code=2)
    status = envs("scale", "status", file)
    assert row_of(status, "kind")[1] == "play" and row_of(status, "world")[1] == "envsuite/KuhnPoker-v0"
    assert row_of(status, "lines")[1] == "4" and row_of(status, "episodes")[1] == "10,000"
    with open(file, "a") as end:
        end.write("{")
    assert "not complete (1 bytes)" in envs("scale", "status", file)
    with open(file, "a") as end:
        end.write("\n")
    assert "line 5: this is not a block of results" in envs("scale", "status", file, code=2)
    command = ("generate", "payoffs", "-n", "1500")
    assert envs(*command, "--out", levels) == envs(*command, "--out", levels) == envs(*command)
    status = envs("scale", "status", levels)
    assert row_of(status, "levels")[1] == "payoffs" and "1,500" in status
    command = ("score", "KuhnPoker", "--policy", "equilibrium:alpha=0.0", "--episodes", "200")
    assert envs(*command, "--out", str(tmp_path / "scores.jsonl")) == envs(*command)
    assert "must be a number of processes" in envs("match", "KuhnPoker", "--workers", "many", code=2)


@pytest.mark.slow
def test_match_of_policies_in_python():
    output = envs("match", "RepeatedGame", "--policy", "player_0=test_cli:Edges:last=yes,player_1=cooperator")
    assert row_of(output, "player_0")[:4] == ["player_0", "test_cli:Edges:last=yes", "1000", "0"]
    assert "won" not in output  # payoffs are not compared


def test_tournament(tmp_path):
    png, file = tmp_path / "payoffs.png", tmp_path / "games.jsonl"
    entrants = "cooperator,defector,tit_for_tat,gtft:cd=0.5,dd=0.5,test_cli:Edges:last=True"
    command = ("tournament", "RepeatedGame", "--policies", entrants, "--episodes", "3", "--out", str(file))
    output = envs(*command, "--png", str(png))
    assert "round robin, 3 episodes in each seating, from seed 0" in output and output.count("Wrote") == 2
    names = common.listed_policies(entrants)
    assert len(names) == 5 and names[3] == "gtft:cd=0.5,dd=0.5"
    matrix = output.partition("Mean return of the row against the column")[2]
    rows = {
        line.split()[1]: line.split() for line in matrix.splitlines() if line.split()[1:] and line.split()[1] in names
    }
    places = {name: int(row[0]) for name, row in rows.items()}
    assert sorted(places.values()) == [1, 2, 3, 4, 5]
    # From the payoffs 3, 0, 5 and 1 in 200 rounds.
    for row, column, value in (("defector", "cooperator", "1000"), ("tit_for_tat", "defector", "199")):
        assert rows[row][1 + places[column]] == value
    assert rows["defector"][2:] == rows["test_cli:Edges:last=True"][2:]
    assert Image.open(png).size[0] > 600 and len(file.read_text().splitlines()) == 15
    before = file.read_text()
    assert output.startswith(envs(*command).partition("Wrote")[0])
    assert file.read_text() == before
    assert "its seed is 0, not 1" in envs(*command, "--seed", "1", code=2)


def test_swiss_tournament(monkeypatch, tmp_path):
    output = envs("tournament", "RepeatedGame", "--schedule", "swiss", "--rounds", "2", "--episodes", "2")
    assert "swiss" in output and "Mean return of the row" not in output  # too many for a terminal

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(tournaments, "pairing_job", interrupt)
    file = str(tmp_path / "a.jsonl")
    assert f"resumes from {file}" in envs("tournament", "KuhnPoker", "--out", file, code=130)
    assert "with --out FILE it can be resumed" in envs("tournament", "KuhnPoker", code=130)


def test_score():
    output = envs("score", "KuhnPoker", "--policy", "equilibrium:alpha=0.0")
    best, worst = reference.reference_scores("KuhnPoker", "equilibrium")
    assert "in each seat in turn, equilibrium in the others" in output and "in all seats" not in output
    assert row_of(output, "1")[1:3] == ["equilibrium", f"{best.mean:.4g}"] and best.mean == 0
    assert row_of(output, "2")[1:3] == ["random", f"{worst.mean:.4g}"] and worst.mean < -0.1
    ours = reference.measure("KuhnPoker", "equilibrium:alpha=0.0", "equilibrium", best.episodes)
    line = row_of(output, "▶")
    assert line[1:3] == ["equilibrium:alpha=0.0", f"{ours.mean:.4g}"]
    assert line[-2:] == [f"{value:.4g}" for value in ours.returns]
    assert f"equilibrium:alpha=0.0 is number {2 if ours.mean < 0 else 1} of 3: {ours.interval()}" in output


@pytest.mark.slow
def test_score_of_one_agent():
    output = envs("score", "FrozenLake", "--policy", "test_cli:Edges")
    assert row_of(output, "▶")[1:3] == ["test_cli:Edges", "0"] and "is number 3 of 3" in output
    shown = envs("score", "FrozenLake")
    assert [row_of(shown, str(k))[1] for k in (1, 2)] == ["planner", "random"] and "▶" not in shown


def test_score_with_other_parameters():
    """References are measured at once."""
    output = envs("score", "KuhnPoker", "-p", "players=3", "--policy", "random", "--episodes", "50")
    ours = reference.measure(common.make("KuhnPoker", ["players=3"]), "random", "equilibrium", 50)
    assert row_of(output, "▶")[2] == f"{ours.mean:.4g}" and "is number 2 of 2" in output


def test_a_baseline_is_not_compared_with_itself():
    output = envs("score", "KuhnPoker", "--policy", "random", "--episodes", "20")
    assert "is number 2 of 2" in output and row_of(output, "1")[1] == "equilibrium"
    assert sum(line.split()[1:2] == ["random"] for line in output.splitlines()) == 1


def test_intervals_hold_what_can_be():
    """No return is below 0 where no reward is."""
    output = envs("score", "FrozenLake", "--policy", "test_cli:First", "--episodes", "3")
    assert "[0, 0]" in output
    some = Interval(0.01, -0.02, 0.04)
    assert some.within(*common.make("FrozenLake").return_range) == (0.01, 0.0, 0.04)
    assert some.within(*common.make("KuhnPoker").return_range) == some
    assert Interval(0.9, 0.7, 1.1).within(*common.make("Hex").return_range) == (0.9, 0.7, 1.0)
    assert some.within(*common.make("Goofspiel").return_range) == some


def test_score_prints_the_report_of_a_world(monkeypatch, tmp_path):
    from rich.table import Table

    from envsuite.evaluation import reports as help_desk
    from envsuite.render.scene import Scene

    asked = []

    class Found:
        tables = lambda self: [Table("pass^1", title="a report")]  # noqa: E731
        scene = lambda self: Scene(4, 3)  # noqa: E731

    def report(world, policies, trials=4, seed=0, progress=None):
        asked.append((world.id, policies, seed))
        progress(1, 2)
        return Found()

    monkeypatch.setattr(help_desk, "report", report)
    row = next(row for row in reference.table() if row.world == "envsuite/OffSwitch-v0")
    monkeypatch.setattr(reference, "reference_scores", lambda world, others: [row])
    monkeypatch.setattr(reference, "measure", lambda *_, **__: row)
    png = tmp_path / "a.png"
    output = envs("score", "Telecom", "--policy", "workflow", "--seed", "5", "--png", str(png))
    assert asked == [("envsuite/Telecom-v0", {"assistant": "workflow"}, 5)]
    assert "a report" in output and "pass^1" in output and Image.open(png).format == "PNG"


# Measuring, compiling, checking.


def test_bench():
    output = envs("bench", "KuhnPoker", "--num-envs", "16", "--seconds", "0.02")
    numbers = r"([\d.]+(?:e\+\d+)?) ?([GMk]?) +([\d.]+(?:e\+\d+)?) ?([GMk]?)"
    for way in ("compiled rollout", "vector step", "AEC, one world"):
        found = re.search(rf"{way} +{numbers}", output)
        assert float(found[1]) > 0 and found.group(1, 2) == found.group(3, 4)  # one player moves at a time
    assert "16 worlds, 1 thread." in output


def test_bench_counts_transitions(monkeypatch):
    """A clock that moves by a second at each look: as many transitions a second as were made."""
    ticks = iter(range(1_000_000))
    world = common.make("KuhnPoker")
    monkeypatch.setattr(measure.time, "perf_counter", lambda: float(next(ticks)))
    transitions, decisions = measure._bench_vector(world, 64, 1, 100.0)
    # Uniform play lasts 2 or 3 moves, 2.25 on average, and then a step resets: 64 * 2.25 / 3.25 transitions a step.
    assert transitions == decisions == pytest.approx(64 * 2.25 / 3.25, rel=0.05)
    transitions, _ = measure._bench_aec(world, 100.0)
    assert transitions in (0.99 * 2, 0.99 * 3)  # 99 episodes fit between the looks


@pytest.mark.machine
def test_warmup():
    output = envs("warmup", "KuhnPoker", "TicTacToe")
    assert re.search(r"KuhnPoker-v0( +\d+\.\d){3}", output) and re.search(r"TicTacToe-v0( +\d+\.\d){3}", output)
    assert str(cache_folder()) in output
    names = {one.name for one in cache.entries() if one.current and one.here}
    assert {"KuhnPoker's rules", "TicTacToe's rules", "KuhnPoker: equilibrium", "the random policy"} <= names


class First(Policy):
    """The first legal action; it has no constructor."""

    def act(self, observation, mask, agent=0):
        return int(np.flatnonzero(mask)[0])


class Broken(ConnectFour):
    """No page."""


def test_check():
    assert re.search(r"✓ levels\n.*KuhnPoker-v0: 1 check passed", envs("check", "KuhnPoker", "--only", "levels"))
    output = envs("check", "test_cli:Broken", code=1)
    assert output.startswith("Broken failed: ") and "check_facts" in output


def test_worlds_without_an_id():
    assert "Broken" in envs("info", "test_cli:Broken")
    output = envs("watch", "test_cli:Broken", "--ansi", "--seed", "1")
    assert re.search(r"player_0 +random", output)


# generate


def test_generate_shows_a_level():
    output = envs("generate", "maze", "--seed", "3", "-p", "width=11", "-p", "height=9", "-p", "algorithm=wilson")
    level = generators.generate("maze", 3, width=11, height=9, algorithm="wilson")
    assert "\n".join(level["map"]) in output
    figures = generators.describe(level)
    assert "maze, 9 x 11" in output
    row = next(line for line in output.splitlines() if line.split()[:2] == ["3", "yes"]).split()
    assert row[2] == str(figures["path"])


def test_generate_writes_files(tmp_path):
    png, file = tmp_path / "sheet.png", tmp_path / "levels.json"
    options = ("--split", "test", "-p", "width=12", "-p", "height=10", "-p", "density=0.25")
    files = ("--png", str(png), "--json", str(file))
    output = envs("generate", "obstacles", "-n", "5", "--seed", "7", *options, *files)
    assert output.count("Wrote") == 2 and "5 levels" in output
    levels = json.loads(file.read_text())
    assert levels == generators.generate_many("obstacles", 5, 7, "test", width=12, height=10, density=0.25)
    sheet = np.asarray(Image.open(png))
    assert sheet.shape[1] > sheet.shape[0] > 480  # three columns, two rows
    tiles = [sheet[16 + 496 * r : 496 * (r + 1), 16 + 496 * c : 496 * (c + 1)] for r in range(2) for c in range(3)]
    assert [(tile != 255).any() for tile in tiles] == [True] * 5 + [False]


@pytest.mark.slow
def test_generate_levels_of_a_world(tmp_path):
    levels = generators.generate_many("Voting", 2, 3, voters=3)
    output = envs("generate", "Voting", "-n", "2", "--seed", "3", "-p", "voters=3")
    assert [json.loads(line) for line in output.splitlines() if line] == levels
    target = tmp_path / "sheet.png"
    assert "2 levels" in envs("generate", "Voting", "-n", "2", "-p", "voters=3", "--png", str(target))
    assert target.stat().st_size > 1000


def test_generate_mistakes(tmp_path):
    assert "did you mean 'maze'" in envs("generate", "mazes", code=2)
    assert "odd" in envs("generate", "maze", "-p", "width=10", code=2)
    assert "no parameter 'colour'" in envs("generate", "maze", "-p", "colour=red", code=2)
    assert "name=value" in envs("generate", "maze", "-p", "width", code=2)
    assert "'train', 'test'" in envs("generate", "maze", "--split", "dev", code=2)
    assert "at most" in envs("generate", "maze", "-n", "1000", "--png", str(tmp_path / "sheet.png"), code=2)
    assert "and 5 more" in envs("generate", "obstacles", "-n", "25")


def test_names_stay_whole_in_narrow_terminals():
    made = common.table("agent", "policy", *(f">{name}" for name in "mean return,±,won,from,to,drawn,lost".split(",")))
    made.add_row("player_0", "tactical", "-0.9358", "+0.12 -0.4", *["100.0%"] * 5)
    console = Console(width=60, file=io.StringIO())
    console.print(made)
    assert "player_0  tactical" in console.file.getvalue()
