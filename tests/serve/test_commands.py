"""The commands of servers: what they make of their options, without a server."""

import json

import pytest
from typer.testing import CliRunner

from envsuite import cli


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A function that calls a command in an empty folder, and gives the host that would be served, and the output."""
    hosts = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("envsuite.serve.web.serve", lambda host, *rest: hosts.append(host))

    def call(*words, code=0):
        result = CliRunner().invoke(cli.app, list(words))
        assert result.exit_code == code, result.output
        return (hosts.pop() if hosts else None), result.output

    return call


@pytest.mark.parametrize(
    "text, players",
    [
        ("player_1=mcts:simulations=20,exploration=2", {"player_1": "mcts:simulations=20,exploration=2"}),
        (
            "player_0=mcts:simulations=20,exploration=2,player_1=tactical:connect=3",
            {"player_0": "mcts:simulations=20,exploration=2", "player_1": "tactical:connect=3"},
        ),
        ("player_1=alpha_beta:depth=2, nodes=9", {"player_1": "alpha_beta:depth=2, nodes=9"}),
        ("player_0=random,player_1=tactical", {"player_0": "random", "player_1": "tactical"}),
        (" player_1 = random ", {"player_1": "random"}),
        ("", {}),
    ],
)  # fmt: skip
def test_seats_are_read_as_other_commands_read_them(text, players, served):
    host, _ = served("serve", "ConnectFour", "--seats", text)
    assert host.offers[0].seats == players
    host.close()


@pytest.mark.parametrize(
    "text, problem",
    [
        ("random", "must be AGENT=PLAYER"), ("player_2=random", "has no agent 'player_2'"),
        ("player_1=nobody", "no policy 'nobody'"), ("player_1=mcts:simulations=x", "simulations"),
        ("player_1=mcts,random", "'random' is for no agent"), ("simulations=3", "has no agent 'simulations'"),
    ],
)  # fmt: skip
def test_seats_that_are_wrong(text, problem, served):
    host, output = served("serve", "ConnectFour", "--seats", text, code=2)
    assert host is None and problem in " ".join(output.split())


def test_tables_have_new_seeds_unless_one_is_given(served):
    host, output = served("serve", "KuhnPoker", "LeducPoker", "--private")
    tables = list(host.tables.values())
    assert output.count("/table/") == 4 and not host.offers
    assert (
        len({table.session.start.seed for table in tables}) == 2 and min(t.session.start.seed for t in tables) > 2**40
    )
    host.close()
    host, _ = served("serve", "KuhnPoker", "--seed", "7", "--folder", "other")
    assert [host.open(host.offers[0]).session.start.seed for _ in range(2)] == [7, 7]
    host.close()


def test_what_cannot_be_played_leaves_no_lock(served):
    host, output = served("serve", "KuhnPoker")
    _, refused = served("serve", "KuhnPoker", code=2)
    assert "is in use by process" in refused
    host.close()
    host, _ = served("serve", "KuhnPoker", "--release", "0", "--close", "0")
    host.close()
    served("serve", "KuhnPoker", "--release", "-1", code=2)


def test_a_study_has_new_seeds(served, tmp_path):
    condition = {"name": "a", "world": "KuhnPoker"}
    for name, seed in (("new.yaml", {}), ("given.yaml", {"seed": 3})):
        (tmp_path / name).write_text(json.dumps({"title": "x", "consent": "y", "conditions": [{**condition, **seed}]}))
    host, _ = served("study", "run", "new.yaml", "--folder", "one")
    assert host.plan.conditions[0].settings().seed is None
    host.close()
    host, _ = served("study", "run", "given.yaml", "--folder", "two")
    assert host.plan.conditions[0].settings().seed == 3
    host.close()


def test_tables_at_which_people_talk(served, tmp_path):
    (tmp_path / "words.txt").write_text("rude*\n")
    host, _ = served("serve", "Werewolf", "--talk", "free:words=5", "--block", "words.txt")
    assert host.listing()["offers"] == ["Werewolf, free talk"]
    table = host.open(host.offers[0])
    assert (table.chat.talk.mode, table.chat.talk.words) == ("free", 5)
    assert host.listing()["tables"][0]["world"] == "envsuite/Werewolf-v0, free talk"
    host.close()
    for words, problem in (
        (["serve", "TicTacToe", "--talk", "free"], "has no acts of speech"),
        (["serve", "Werewolf", "--talk", "fre"], "mode='fre' must be one of"),
        (["serve", "Werewolf", "--talk", "free", "--block", "none.txt"], "none.txt cannot be read"),
    ):
        host, output = served(*words, "--folder", "other", code=2)
        assert host is None and problem in " ".join(output.split())


def test_a_study_in_which_people_talk(served, tmp_path):
    condition = {"name": "a", "world": "SimpleNegotiation", "talk": "free"}
    (tmp_path / "words.txt").write_text("rude\n")
    for name, consent in (("told.yaml", "Messages are kept."), ("untold.yaml", "You play.")):
        (tmp_path / name).write_text(json.dumps({"title": "x", "consent": consent, "conditions": [condition]}))
    host, _ = served("study", "run", "told.yaml", "--block", "words.txt")
    assert host.open(host.plan.conditions[0].settings()).chat.draft(0, {"words": "rude"}, 0).text == "[removed]"
    host.close()
    _, output = served("study", "check", "told.yaml")
    assert "talk free" in output
    _, output = served("study", "run", "untold.yaml", "--folder", "other", code=2)
    assert 'the word "messages" is not in it' in " ".join(output.split())
