"""Replays as a data set: its rows are those of a recorded one, and what was said is that of the live episodes."""

import dataclasses
import json
import re

import numpy as np
import pytest

import envsuite
from envsuite.core.errors import DataError, ParameterError
from envsuite.data import Recorded, Replayed, export, record, recording
from envsuite.data.columns import BASE
from envsuite.models.client import Answer
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.registry import build
from envsuite.talk.table import Talk

WORDS = ("said", "heard")


def talked(name, seed, talk="beside", steps=400, **params):
    """A driver's episode whose agents all speak, and the log of its decisions: step, agent, said, heard."""
    world, rng, log = build(name, params), np.random.default_rng(seed), []
    since = {a: ([], []) for a in range(len(world.agents))}  # its last decision, what an agent has said and heard
    driver = Driver(world, since, {}, Protocol(talk=talk, skip_forced=False), seed)
    while not driver.done and driver.length < steps:
        for a in driver.waiting():
            question, (said, heard) = driver.request(a).messages[-1]["content"], since[a]
            heard += re.findall(r'^(\w+)(?: \(to [^)]*\))?: "(word \d+)"$', question, re.MULTILINE)
            words = f"word {rng.integers(10**9)}" if "You can speak" in question or "To speak" in question else ""
            talks, legal = driver.seats[a].talks, np.flatnonzero(driver.batch.masks[0, a])
            act = "" if talks else f"\nAction: {world.action_names[a][rng.choice(legal)]}"
            driver.give(a, Answer(f"Say: {words}{act}"))
            said += [(world.agents[a], one.text) for one in driver.seats[a].said]
            if talks:
                continue
            log.append((driver.length, a, [*said], [*heard]))
            said.clear()
            heard.clear()
        driver.advance()
    return driver, log


@pytest.mark.parametrize(
    ("name", "talk", "params"),
    [
        ("Werewolf", "beside", {}),
        ("Fishery", "beside", {}),
        ("SimpleNegotiation", "beside", {}),
        ("TrustAndSplit", "beside", {}),
        ("Diplomacy", "beside", {"map": "triangle", "press": 2, "last_year": 1902}),  # words arrive when a round closes
        ("SimpleNegotiation", Talk("beside", when="speech+before", rounds=2), {}),
        ("RepeatedGame", Talk("beside", when="before"), {}),
    ],
)
def test_columns_of_words_are_the_live_logs(name, talk, params, tmp_path):
    logs = []
    for seed in (3, 11):
        driver, log = talked(name, seed, talk, **params)
        logs.append(log)
        driver.replay({a: f"model {a}" for a in driver.seats}).save(tmp_path / f"game-{seed:02}.replay")
    data = Replayed(tmp_path)
    assert [episode.seed for episode in data.episodes()] == [3, 11]
    for episode, log in zip(data.episodes(["step", "agent", "acting", "said", "heard", "policy"]), logs):
        rows = episode.rows
        parts = ([[(one["from"], one["text"]) for one in json.loads(text)] for text in rows[k]] for k in WORDS)
        found = [*zip(rows["step"].tolist(), rows["agent"].tolist(), *parts)]
        assert [row for row, acts in zip(found, rows["acting"]) if acts] == log
        assert sum(len(heard) for *_, heard in log) > 0
        assert rows["policy"].tolist() == [f"model {a}" for a in rows["agent"]]


def test_each_line_names_who_hears_it(tmp_path):
    driver, _ = talked("SimpleNegotiation", 0)
    driver.replay({}).save(tmp_path / "it.replay")
    rows = next(Replayed(tmp_path / "it.replay").episodes(["said", "heard"])).rows
    assert json.loads(rows["said"][0]) == [{"from": "player_0", "to": ["player_1"], "text": driver.words.lines[0].text}]
    assert json.loads(rows["heard"][1]) == json.loads(rows["said"][0])


def test_a_recorded_set_has_nobodys_words(tmp_path):
    data = record("Fishery", "norm_follower", 1, tmp_path / "it")
    rows = next(data.episodes(["said", "heard", "message"])).rows
    assert {*rows["said"], *rows["heard"]} == {"[]"} and any(rows["message"])


@pytest.mark.parametrize("name", ["KuhnPoker", "SimpleNegotiation"])
def test_replays_of_a_recorded_set_have_its_rows(name, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "MEASURED", 1)
    recorded = record(name, "random", 5, tmp_path / "it", 7)
    folder = tmp_path / "games"
    folder.mkdir()
    for episode in recorded.episodes():
        episode.replay().save(folder / f"{episode.number}.replay")
    columns = [*BASE, "observation", "mask", "text", "message", "return_to_go"]
    first, second = ([*data.episodes(columns)] for data in (recorded, Replayed(folder)))
    for one, two in zip(first, second, strict=True):
        assert one.seed == two.seed and one.rows.keys() == two.rows.keys()
        for key in one.rows:
            np.testing.assert_array_equal(one.rows[key], two.rows[key])
    assert len(first) == 5 and Replayed(folder).verify() is None


def test_an_export_of_replays(tmp_path):
    driver, log = talked("SimpleNegotiation", 1)
    driver.replay({0: "one", 1: "other"}).save(tmp_path / "it.replay")
    export(tmp_path, tmp_path / "out", "jsonl", ["said", "heard"])
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()]
    said = [[(one["from"], one["text"]) for one in json.loads(row["said"])] for row in rows if row["acting"]]
    assert said == [said for _, _, said, _ in log]
    assert [row["said"] for row in rows if not row["acting"]] == ["[]", "[]"]
    (episode,) = (json.loads(line) for line in (tmp_path / "out" / "episodes.jsonl").read_text().splitlines())
    assert episode["policies"] == ["one", "other"] and episode["seed"] == 1
    assert "Players: one, other." in (tmp_path / "out" / "README.md").read_text()


def replay_of(name="SimpleNegotiation", seed=0, steps=400):
    return talked(name, seed, steps=steps)[0].replay({})


def from_the_middle():
    env = envsuite.make_parallel("SimpleNegotiation")
    env.reset(seed=0)
    with envsuite.Recorder(env) as recorder:
        while env.agents:
            env.step(dict.fromkeys(env.agents, env.action_names("player_0").index("pass")))
    return recorder.replays[0]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda replay: replay_of(steps=2), "ends before the episode does"),
        (lambda replay: from_the_middle(), "from a state"),
        (lambda replay: replay_of("Fishery", steps=400), "is of .*Fishery"),
    ],
)
def test_what_is_no_episode_of_the_set_is_refused(changed, told, tmp_path):
    replay = replay_of()
    replay.save(tmp_path / "a.replay")
    changed(replay).save(tmp_path / "b.replay")
    with pytest.raises(DataError, match=told):
        Replayed(tmp_path)


def test_a_replay_that_ends_elsewhere_is_refused(tmp_path):
    replay = replay_of()
    dataclasses.replace(replay, checksums=(*replay.checksums[:-1], "0" * 16)).save(tmp_path / "it.replay")
    with pytest.raises(DataError, match="episode 0 does not play as it was recorded: it ends in another state"):
        Replayed(tmp_path).verify()


def test_a_folder_without_replays_is_no_data_set(tmp_path):
    with pytest.raises(DataError, match="has no replays"):
        Replayed(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        export(tmp_path, tmp_path / "out")
    with pytest.raises(ParameterError, match="no column 'sayd'; did you mean 'said'"):
        record("KuhnPoker", "random", 1, tmp_path / "it").plan(["sayd"])
    assert isinstance(Recorded(tmp_path / "it"), Recorded)
