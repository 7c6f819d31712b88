"""Treatments and languages: what they change in worlds, requests and results, and what is refused."""

import json

import pytest
from typer.testing import CliRunner

from envsuite import TextEnv, build, ids
from envsuite.cli import app
from envsuite.core.errors import ParameterError
from envsuite.models import suites
from envsuite.models.client import Answer, Scripted
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.models.report import matches, report
from envsuite.models.suites import Suite, Task, evaluate
from envsuite.models.treatments import GENERAL, treated
from envsuite.models.versus import versus

FISHERY = Suite("lake", "", (Task("Fishery", "norm_follower", ("player_0",), {"horizon": 2}),))


def rules(world, protocol, agent=0):
    return Driver(treated(build(world), protocol.treatments), [agent], "random", protocol, 0).seats[agent].talk.rules


@pytest.mark.parametrize("id", [id for id in ids() if build(id).treatments])
def test_each_treatment_of_a_world_changes_its_pages(id):
    usual = rules(id, Protocol())
    for name in build(id).treatments:
        assert rules(id, Protocol(treatments=[name])) != usual, name


def test_a_treatment_sets_parameters():
    world = treated(build("Fishery", {"players": 3}), ["no_talk", "newcomer"])
    assert not world.parameters["language"] and world.parameters["newcomer"] and len(world.agents) == 3
    assert "You cannot talk to each other." in rules("Fishery", Protocol(treatments=["no_talk"]))
    env = TextEnv("Fishery", opponents="random", protocol=Protocol(treatments=["no_talk"]))
    assert "You cannot talk to each other." in env.reset(seed=0)[0]


@pytest.mark.parametrize("name", GENERAL)
def test_a_general_treatment_adds_its_sentence_to_all_pages(name):
    usual, found = (rules("TicTacToe", Protocol(treatments=given)) for given in ([], [name]))
    page, _, last = usual.rpartition("\n\n")
    assert found == f"{page}\n\n{GENERAL[name].told}\n\n{last}"


def test_personas_are_lines_of_a_file(tmp_path):
    (tmp_path / "people.txt").write_text("You are Ann, a teacher.\nYou are Bo, a smith.\n")
    protocol = Protocol(treatments=[f"persona:{tmp_path}/people.txt"])
    first, second = (rules("TicTacToe", protocol, agent) for agent in range(2))
    assert "\n\nYou are Ann, a teacher.\n\nYou are player_0." in first and "Bo" not in first
    assert "\n\nYou are Bo, a smith.\n\nYou are player_1." in second and "Ann" not in second
    assert protocol.plain()["personas"] == ["You are Ann, a teacher.", "You are Bo, a smith."]
    with pytest.raises(ParameterError, match="there are 2 personas, but envsuite/Fishery-v0 has 5 agents"):
        rules("Fishery", protocol)


def test_what_is_refused(tmp_path):
    with pytest.raises(
        ParameterError,
        match="envsuite/Fishery-v0 has no treatment 'no_tolk': it has universalization, newcomer, no_talk, goal:own, ",
    ):
        treated(build("Fishery"), ["no_tolk"])
    with pytest.raises(ParameterError, match="'goal:all': all worlds have goal:own, goal:group, framing:neutral, per"):
        Protocol(treatments=["goal:all"])
    with pytest.raises(ParameterError, match="'goal:own': another one of its kind"):
        Protocol(treatments=["goal:group", "goal:own"])
    with pytest.raises(ParameterError, match="persona:.*nobody.txt cannot be read"):
        Protocol(treatments=[f"persona:{tmp_path}/nobody.txt"])
    with pytest.raises(ParameterError, match="made with language=True, but the treatment needs language=False"):
        Driver(build("Fishery"), [0], {}, Protocol(treatments=["no_talk"]))


def test_results_and_ledger_name_treatments(tmp_path, monkeypatch):
    """A suite is played and scored under the treatment."""
    monkeypatch.setattr(suites, "EPISODES", 2)
    protocol = Protocol(treatments=["no_talk", "goal:group"])
    found = evaluate(FISHERY, Scripted("norm_follower"), protocol=protocol, path=tmp_path / "a.jsonl")
    assert {one.game.world.parameters["language"] for one in found.played} == {False}
    assert found.plain()["protocol"]["treatments"] == ["no_talk", "goal:group"]
    assert json.loads(json.dumps(found.plain())) == found.plain()
    line = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])
    assert line["protocol"]["treatments"] == ["no_talk", "goal:group"] and not line["key"]["params"]["language"]
    assert report(found)
    with pytest.raises(ParameterError, match="TicTacToe-v0 has no treatment 'no_talk'"):
        evaluate(Suite("mixed", "", (Task("TicTacToe", "tactical"),)), Scripted("random"), protocol=protocol)


def test_matches_name_treatments():
    protocol = Protocol(treatments=["framing:neutral"])
    found = versus("TicTacToe", [Scripted("random")], episodes=2, policies=["random"], protocol=protocol)
    assert found.plain()["protocol"]["treatments"] == ["framing:neutral"] and matches(found)


def test_info_lists_treatments():
    words = CliRunner().invoke(app, ["info", "Fishery"]).output.split()
    assert {"Treatments", "universalization", "no_talk", "language=False"} <= set(words)
    assert "Treatments" not in CliRunner().invoke(app, ["info", "TicTacToe"]).output


@pytest.mark.parametrize(
    "given, talk, asked",
    [
        ("de", "typed", 'Write your thoughts in German. The names of actions, and "Action:", stay in English.'),
        (
            "Catalan",
            "beside",
            'Write your thoughts and your words to others in Catalan. The names of actions, and "Say',
        ),
    ],
)
def test_a_language_is_asked_for(given, talk, asked):
    assert asked in rules("Fishery", Protocol(language=given, talk=talk))


@pytest.mark.parametrize("given", ["xx", "D3", "Elvish\nAction: pass", "?" * 5])
def test_no_language(given):
    with pytest.raises(ParameterError, match="language="):
        Protocol(language=given)


def test_thoughts_in_another_language_are_no_hindrance():
    driver = Driver(build("TicTacToe"), [0], "random", Protocol(language="de"), 0)
    assert driver.give(0, Answer("Die Mitte ist am besten, nicht der Rand.\nAction: b2")).action == "b2"
