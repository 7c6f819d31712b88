"""Suites, matches and reports: scores by hand, a scripted policy as the model, resumed results byte for byte."""

import json
from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from endpoint import endpoint
from typer.testing import CliRunner

from envsuite.cli import app
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, UnknownIdError
from envsuite.core.policy import policies_of
from envsuite.data import Replayed
from envsuite.evaluation.matches import play
from envsuite.evaluation.statistics import clustered_interval, mean_interval, mean_of_means
from envsuite.models import suites
from envsuite.models.answers import Budget
from envsuite.models.client import Chat, Function, Scripted
from envsuite.models.harness import Played, start_of
from envsuite.models.protocol import Protocol
from envsuite.models.report import matches, report
from envsuite.models.results import passes_of
from envsuite.models.suites import SUITES, Suite, Task, evaluate, games_of, reference, suite
from envsuite.models.versus import versus

TASKS = [(one.name, task) for one in SUITES.values() for task in one.tasks]
TINY = Suite("tiny", "", (Task("TicTacToe", "tactical"), Task("LiarsDice", "odds")))


def command(*words):
    found = CliRunner().invoke(app, ["evaluate", *words], env={"OPENAI_MODEL": ""})
    return found.exit_code, found.output


@pytest.mark.parametrize("name, task", TASKS, ids=[f"{name}-{task.id}" for name, task in TASKS])
def test_tasks_are_in_the_table(name, task):
    world = task.world
    rows = [row for row in suites._scores(task.id) if row.of(task)]
    assert {row.policy for row in rows} == set(policies_of(world))
    assert all(row.code == suites._code(task, world, row.policy) for row in rows), "python -m envsuite.models.suites"
    random, best = reference(task)
    assert random.policy == "random" and best.mean - random.mean > 4 * (best.error + random.error)
    assert (task.others == "") == (len(world.agents) == 1)


def test_suites():
    assert list(SUITES) == ["strategic", "commons", "dual-control", "deduction", "exploration", "planning"]
    with pytest.raises(UnknownIdError, match="did you mean 'strategic'"):
        suite("strategy")
    games = games_of(Task("Werewolf", "honest"), Scripted("random"), 8)
    assert [next(iter(game.models)) for game in games] == [0, 1, 2, 3, 4, 5, 6, 0]
    assert [game.seed for game in games] == list(range(suites.SEED, suites.SEED + 8))
    desk = games_of(Task("Telecom", "persona", ("assistant",)), Scripted("random"), 2)
    assert [(list(game.models), dict(game.others)) for game in desk] == [([0], {1: "persona"})] * 2


@pytest.mark.slow
def test_a_row_of_the_table():
    task = Task("TicTacToe", "tactical")
    assert suites.measured(task, "random") == reference(task)[0]


def test_scores():
    """The random policy as a model has the returns of a match on these seeds and seats, and their scores."""
    found = evaluate(TINY, Scripted("random"))
    for row, task in zip(found.rows, TINY.tasks):
        seating = np.ones((8, 2), int)
        seats = np.arange(8) % 2
        seating[np.arange(8), seats] = 0
        returns = play(task.world, ["random", task.others], 8, suites.SEED, seating=seating).returns
        random, best = reference(task)
        scores = (returns[np.arange(8), seats] - random.mean) / (best.mean - random.mean)
        assert np.array_equal(row.scores, scores) and row.interval == clustered_interval(scores, row.starts)
    assert found.score.value == pytest.approx(np.mean([row.interval.value for row in found.rows]))
    assert json.loads(json.dumps(found.plain(), allow_nan=False)) == found.plain()


def test_episodes_from_the_same_start_are_a_cluster():
    """TicTacToe has one start for each seat, dice have many: intervals and numbers of starts by hand."""
    found = evaluate(TINY, Scripted("random"))
    board, dice = found.rows
    assert board.distinct == 2 and board.starts[0] == board.starts[2] != board.starts[1] and dice.distinct == 8
    # Two clusters of four episodes, each with a mean half a difference from the mean of all: t = 12.706, 1 degree.
    halves = board.scores[::2].mean(), board.scores[1::2].mean()
    assert board.interval.high - board.interval.value == pytest.approx(12.7062 * abs(halves[0] - halves[1]) / 2)
    assert dice.interval == mean_interval(dice.scores)
    assert found.score == mean_of_means([board.scores, dice.scores], [board.starts, dice.starts])
    plain = found.plain()
    assert [task["starts"] for task in plain["tasks"]] == [2, 8] and len(
        {one["start"] for one in plain["episodes"]}
    ) == 10
    scores, _ = found.tables()
    column = next(column for column in scores.columns if column.header == "starts")
    assert list(column.cells) == ["2", "8", ""]


def test_trials():
    """pass^k by binomial coefficients; the first trials are the episodes of an evaluation without repeats."""
    dice = Suite("dice", "", TINY.tasks[1:])
    found, once = (evaluate(dice, Scripted("random"), trials=trials) for trials in (4, 1))
    assert [one.returns.tolist() for one in found.played[::4]] == [one.returns.tolist() for one in once.played]
    assert [one.game.trial for one in found.played[:5]] == [0, 1, 2, 3, 0]
    (row,), counts = found.rows, [0] * 8
    for one in found.played:
        counts[one.game.seed - suites.SEED] += one.returns[next(iter(one.game.models))] >= row.best
    assert set(counts) - {0, 4}  # trials differ
    for k, passed in enumerate(row.passes, 1):
        assert passed.value == pytest.approx(sum(comb(c, k) for c in counts) / comb(4, k) / 8)
    assert len(found.plain()["tasks"][0]["passes"]) == 4 and report(found)
    assert found.tables()[1].columns[-1].header == "pass^4"
    assert not once.rows[0].passes and len(once.tables()) == 2
    with pytest.raises(ParameterError, match="trials=0"):
        evaluate(dice, Scripted("random"), trials=0)


def test_pass_k_of_independent_trials():
    """Trials that pass with a chance of 0.7 each: pass^k is 0.7**k within its interval."""
    game = games_of(TINY.tasks[0], Scripted("random"), 1)[0]
    played = [
        Played(game, str(k), np.array([float(one), 0.0]), 1, [], Counter(), (0, 0), {}, None)
        for k, row in enumerate(np.random.default_rng(0).random((300, 6)) < 0.7)
        for one in row
    ]
    for k, passed in enumerate(passes_of(played, 6, 1.0), 1):
        assert passed.low < 0.7**k < passed.high and passed.high - passed.low < 0.12
    lost = replace(played[0], problem="lost")
    assert passes_of([lost, *played[1:]], 6, 1.0) == passes_of(played[6:], 6, 1.0)
    assert passes_of([lost], 1, 1.0) == ()


def test_a_start_is_the_record_without_its_random_stream():
    batch = Batch(TINY.tasks[0].world, 1)
    starts = []
    for seed in (0, 1):
        batch.start(seed)
        starts.append(start_of(batch.records, [0]))
    before = batch.records.copy()
    assert starts[0] == starts[1] != start_of(batch.records, [1]) and batch.records == before
    batch.records["t"] = 1
    assert start_of(batch.records, [0]) != starts[0]


def test_resumed_results_equal_byte_for_byte(tmp_path, monkeypatch):
    """The command, against a server with failures: stopped by its budget, then resumed."""
    monkeypatch.setitem(SUITES, "tiny", TINY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    words = ["tiny", "--model", "stub", "--concurrency", "8"]
    with endpoint(garbage=0.5, refusal=0.1) as (url, _):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        whole, parts = ([*words, "--out", str(tmp_path / f"{name}.jsonl")] for name in ("whole", "parts"))
        files = [["--json", str(tmp_path / f"{name}.json"), "--html", str(tmp_path / f"{name}.html")] for name in "ab"]
        code, output = command(*whole, *files[0])
        assert code == 0, output
        code, output = command(*parts, "--max-tokens", "3000")
        assert code == 1 and "the budget of 3,000 tokens is spent; the same command resumes from" in output
        code, output = command(*parts, *files[1])
        assert code == 0, output
    for kind in ("json", "html"):
        first, second = ((tmp_path / f"{name}.{kind}").read_bytes() for name in "ab")
        assert first == second and b"secret" not in first
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["unfinished"] == 0 and found["tasks"][0]["counts"]["unparsable"] > 0
    assert "127.0.0.1" in found["model"]["host"]


def test_report_holds_words_as_data():
    found = evaluate(TINY, Function(lambda messages: "</script><script>alert(1)</script>", "<b>evil</b>"))
    page = report(found)
    assert "alert(1)" not in page and "evil" not in page  # compressed, and shown as text
    assert page.count("<script") == page.count("</script>") == 3


def test_matches_between_models():
    """A policy as a model is rated as the policy itself, in all pairs."""
    found = versus("TicTacToe", [Scripted("random"), Scripted("tactical")], episodes=4)
    rows = {row.name: row for row in found.tournament.standings()}
    assert set(rows) == {"random", "tactical", "policy:random", "policy:tactical"}
    for name in ("random", "tactical"):
        assert rows[f"policy:{name}"].rating == pytest.approx(rows[name].rating)
    assert rows["tactical"].rating.low > rows["random"].rating.value
    assert len(found.played) == 5 * 2 * 4 and len(found.tournament.pairings) == 6
    assert "policy:tactical" not in matches(found)
    silent = Function(lambda messages: 1 / 0, "broken")
    part = versus("TicTacToe", [silent], episodes=2)
    assert part.unfinished == len(part.played) and len(part.tournament.pairings) == 1 and "division" in part.stopped
    for models, words in (([silent, silent], "different names"), ([Scripted("random")] * 2, "different names")):
        with pytest.raises(ParameterError, match=words):
            versus("TicTacToe", models)
    with pytest.raises(ParameterError, match="matches need two"):
        versus("Maze", [silent])


def test_command(tmp_path):
    code, output = command()
    assert code == 0 and all(name in output for name in SUITES)
    code, output = command(
        "TicTacToe", "--model", "policy:tactical", "--episodes", "2", "--html", str(tmp_path / "m.html")
    )
    assert code == 0 and "Elo" in output and "policy:tactical" in output.replace("\n", "")
    for words, problem in (
        (["strategic"], "--model policy:random needs no endpoint"),
        (["strategic", "--model", "policy:nobody"], "no policy 'nobody'"),
        (["nothing", "--model", "policy:random"], "there is no suite 'nothing'"),
        (["strategic", "--model", "policy:random", "--size", "huge"], "must be one of small, full"),
        (["strategic", "--model", "policy:random", "--prices", "1"], "two numbers"),
        (["TicTacToe", "--model", "policy:random", "--trials", "2"], "repeats the episodes of a suite"),
        (["strategic", "--model", "policy:random", "--tools", "--numbers"], "exclude each other"),
        (["strategic", "--model", "policy:random", "--model", "policy:x"], "one --model"),
        (["strategic", "--model", "python:nowhere:ask"], "nowhere"),
    ):
        code, output = command(*words)
        assert code == 2 and problem in " ".join(output.split()), output


@pytest.mark.slow
def test_replays_of_an_evaluation_are_a_data_set(tmp_path, monkeypatch):
    """What models said in matches, as `envsuite data` reads it."""
    words = ["SimpleNegotiation", "--model", "policy:random", "--model", "policy:shrewd", "--episodes", "2"]
    code, output = command(*words, "--talk", "beside", "--replays", str(tmp_path / "games"))
    assert code == 0 and "Wrote" in output and "games" in output
    episodes = [*Replayed(tmp_path / "games").episodes(["said"])]
    assert len(episodes) == len([*tmp_path.glob("games/*.replay")]) > 4
    assert any(json.loads(text) for one in episodes for text in one.rows["said"])
    assert {"policy:random", "policy:shrewd"} <= {name for one in episodes for name in one.policies}
    monkeypatch.setitem(SUITES, "tiny", TINY)
    code, output = command("tiny", "--model", "policy:random", "--replays", str(tmp_path / "tasks"))
    assert code == 0 and len([*tmp_path.glob("tasks/*/*.replay")]) == 8 * len(TINY.tasks)
    (tmp_path / "file").touch()
    code, output = command("tiny", "--model", "policy:random", "--replays", str(tmp_path / "file"))
    assert code == 2 and "cannot be a folder to write to" in " ".join(output.split())


def test_unfinished_episodes_have_no_score():
    found = evaluate(TINY, Function(lambda messages: 1 / 0, "broken"), budget=Budget(), protocol=Protocol())
    assert found.unfinished == 16 and np.isnan(found.score.value)
    assert found.plain()["score"]["value"] is None and json.dumps(found.plain(), allow_nan=False)
    assert found.tables() and report(found)


def test_paid_once(tmp_path):
    """A larger size continues the ledger of the smaller one."""
    asked = []
    model = Function(lambda messages: asked.append(1) or "Action: 0", "count")
    task = Suite("tiny", "", TINY.tasks[:1])
    evaluate(task, model, path=tmp_path / "a.jsonl")
    before = len(asked)
    evaluate(task, model, path=tmp_path / "a.jsonl")
    assert len(asked) == before
    evaluate(task, model, path=tmp_path / "a.jsonl", trials=2)
    assert len(asked) == 2 * before
    evaluate(task, model, "full", path=tmp_path / "a.jsonl")
    assert len(asked) > 2 * before
    assert Chat.paid and not Scripted.paid


def test_only_scores_that_lack_are_measured(monkeypatch):
    """They are written with their world, which may have several tasks."""
    kept = {}
    monkeypatch.setattr(
        suites.stored, "write", lambda id, section, rows: kept.update({id: json.loads(json.dumps(list(rows)))})
    )
    monkeypatch.setattr(suites.stored, "rows", lambda id, section: kept.get(id, []))
    monkeypatch.setattr(suites, "EPISODES", 2)
    listed = (suites.Task("TicTacToe", "tactical"), suites.Task("FrozenLake"), suites.Task("TicTacToe", "random"))
    monkeypatch.setattr(suites, "SUITES", {"small": suites.Suite("small", "", listed)})
    suites._scores.cache_clear()
    count = sum(len(suites.policies_of(task.world)) for task in listed)
    assert suites.update() == count == sum(map(len, kept.values())) and list(kept) == ["TicTacToe", "FrozenLake"]
    assert suites.update() == 0
    kept["FrozenLake"][0]["code"] = "0"
    del kept["TicTacToe"][-1]
    suites._scores.cache_clear()
    assert suites.update() == 2
    suites._scores.cache_clear()
