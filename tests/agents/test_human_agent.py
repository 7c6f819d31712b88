"""A person at the keyboard, with typed lines from a script."""

import io
import os
import pty
import sys
import time
import tty

import numpy as np
import pytest
from rich.console import Console

import envsuite
from envsuite.agents.human import Human, Keyboard, LeftError, read, words_in
from envsuite.core.errors import ActionError, ParameterError
from envsuite.episodes.replay import Replay
from envsuite.episodes.session import Session, play_in_terminal
from envsuite.models.agent import play_episode
from envsuite.registry import build
from envsuite.talk.table import Talk

ID = "envsuite/ConnectFour-v0"


def typing(*lines):
    """A person who types these lines, and what is shown meanwhile."""
    shown, left, prompts = io.StringIO(), list(lines), []

    def ask(prompt):
        prompts.append(prompt)
        if not left:
            raise EOFError
        return left.pop(0)

    person = Human(ask, Console(file=shown, width=120))
    return person, shown, prompts, left


def test_a_game():
    """Four in a column, by name, key, name in other letters and part of a name."""
    person, shown, prompts, left = typing("column 1", "1", "  COLUMN 1 ", "olumn 1")
    episode = play_episode(
        envsuite.make_aec(ID), {"player_0": person, "player_1": Human(lambda _: "n 7", person.console)}
    )
    assert episode.returns == {"player_0": 1, "player_1": -1} and episode.length == 7
    assert prompts == ["player_0> "] * 4 and not left
    text = shown.getvalue()
    assert text.count("Legal: column 1 (1), column 2 (2)") == 7
    env = envsuite.make_aec(ID)
    env.reset()
    assert text.index(env.text("player_0")) < text.index("Legal:")


def test_help_and_mistakes():
    person, shown, prompts, left = typing("?", "rules", "nowhere", "", "column", "column 1")
    env = envsuite.make_aec(ID)
    env.reset(seed=0)
    assert person.act_in(env.batch, [0, 1]).tolist() == [[0, 0]]  # only the one who acts is asked
    text = shown.getvalue()
    assert '"rules" shows the rules' in text and "Two players drop discs" in text
    assert "'nowhere' names no action" in text and "'' names no action" in text and "'column' names no action" in text
    assert len(prompts) == 6


def test_illegal_moves_change_nothing():
    env = envsuite.make_aec(ID)
    env.reset(seed=0)
    for _ in range(6):
        env.step(0)
    before = env.get_state()
    person, shown, _, _ = typing("column 1", "2")
    assert person.act_in(env.batch, [0])[0, 0] == 1
    assert "action 0 ('column 1') of player_0 is illegal here; legal: 1 ('column 2'), 2" in " ".join(
        shown.getvalue().split()
    )
    assert env.get_state() == before


@pytest.mark.parametrize("lines", [["quit"], []])
def test_leaving(lines):
    person, *_ = typing(*lines)
    with pytest.raises(LeftError, match="player_0 has left the game"):
        play_episode(envsuite.make_aec(ID), {"player_0": person, "player_1": "random"})


def test_interrupt():
    def interrupted(prompt):
        raise KeyboardInterrupt

    with pytest.raises(LeftError):
        play_episode(envsuite.make_aec(ID), {"player_0": Human(interrupted), "player_1": "random"})


@pytest.fixture
def pressed(monkeypatch):
    """A terminal whose keys a test presses."""
    ours, theirs = pty.openpty()
    tty.setcbreak(theirs)  # or what is pressed early is edited as a line, and waits for its end
    with os.fdopen(theirs) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield lambda keys: os.write(ours, keys.encode())
    os.close(ours)


def test_keys(pressed):
    keys = Keyboard(build("envsuite/FrozenLake-v0"), lambda prompt: f"typed at {prompt}")
    pressed("\x1b[A\x1bOB\x1b[C\x1b[D w\r\x7f?\x1b[15~\x1b")
    found = [keys.press() for _ in range(11)]
    names = ["up", "down", "right", "left", "space", "w", "return", "backspace", "?", repr("\x1b[15~"), "escape"]
    assert found == names
    pressed("\x1b[A\x7f\x1b\tx")
    time.sleep(0.1)
    assert [keys("> ") for _ in range(4)] == ["up", "undo", "quit", "typed at > "]
    with pytest.raises(ActionError, match="^the key x has no action; keys with one: left, down, right, up$"):
        keys("> ")


def test_a_game_by_keys(pressed, monkeypatch):
    """Arrow keys play, backspace takes a move back, all is drawn in place; the escape key leaves."""
    shown = io.StringIO()
    session = Session(build("envsuite/FrozenLake-v0", {"is_slippery": False}), "random", 1, [0])
    pressed("\x1b[B\x1b[B\x7f\x1b[Bz\x1b")
    play_in_terminal(session, Console(file=shown, force_terminal=True, width=100, height=40))
    text = shown.getvalue()
    assert [session.timeline.done(k)[0] for k in (1, 2)] == ["down", "down"] and session.step == 2
    assert text.count("\x1b[2J") == 5 and "the key z has no action; keys with one: " in text
    assert text.endswith("Goodbye.\n")


def test_undo_by_typing(monkeypatch):
    lines = iter(["column 1", "column 2", "undo", "undo", "undo", "column 3", "quit"])
    console = Console(file=io.StringIO(), width=100)
    monkeypatch.setattr(console, "input", lambda prompt: next(lines))
    session = Session(build(ID), "random", 1, [0])
    play_in_terminal(session, console)
    assert session.timeline.done(1)[0] == "column 3" and session.step == 2


def talking(monkeypatch, name, mode, lines, policy="random", seat=2, seed=3):
    """A session in a terminal in which a person types these lines, and what is shown."""
    typed, shown = iter([*lines, "quit"]), io.StringIO()
    console = Console(file=shown, width=200)
    monkeypatch.setattr(console, "input", lambda prompt: next(typed))
    world = build(name)
    session = Session(
        world,
        dict.fromkeys(range(len(world.agents)), policy),
        seed,
        [seat],
        talk=Talk(mode, channels=("public", "private")),
    )
    play_in_terminal(session, console)
    return session, shown.getvalue()


def test_a_person_speaks_in_the_terminal(monkeypatch):
    """Words go with the next act of speech; others' sentences are shown; a move that is undone was not said."""
    lines = ["say at night", "kill player_3", "say one", "/say  I am\tno wolf. ", "silent", "undo", "silent"]
    session, text = talking(monkeypatch, "Werewolf", "beside", lines)
    assert "player_2 cannot speak now" in text and "You can speak to all, with at most 60 words." in text
    assert text.count('You will say: "I am no wolf."') == 1
    own = [(line.text, line.act) for line in session.timeline.words.lines if line.agent == 2]
    assert own == []  # the words were undone with the act
    assert 'You hear:\nplayer_0: "' in text and "player_0 claims to be a villager." in text


def test_words_that_wait_are_undone_with_the_move_before(monkeypatch):
    lines = ["kill player_3", "say hello", "undo", "kill player_3", "silent"]
    session, _ = talking(monkeypatch, "Werewolf", "beside", lines)
    assert session.step > 2 and not [line for line in session.timeline.words.lines if line.agent == 2]


def test_a_person_in_free_talk_hears_words_and_no_acts(monkeypatch):
    session, text = talking(monkeypatch, "Werewolf", "free", ["kill player_3", "say I am no wolf.", "silent"])
    assert [(line.text, line.by) for line in session.timeline.words.lines if line.agent == 2] == [
        ("I am no wolf.", "person")
    ]
    heard = session.timeline.heard(2, session.step)
    assert heard and all(f'{session.world.agents[line.agent]}: "{line.text}"' in text for line in heard)
    assert "claims to be" not in text and "says nothing" not in text and "hear only these words" in text


def test_words_to_one_are_heard_by_one(monkeypatch):
    session, _ = talking(monkeypatch, "Werewolf", "beside", ["kill player_3", "say to player_0: hello", "silent"])
    (line,) = [line for line in session.timeline.words.lines if line.agent == 2]
    assert (line.to, line.text) == ((0,), "hello")
    assert [line in session.timeline.heard(a, session.step) for a in (0, 1)] == [True, False]


def test_an_action_named_say_needs_the_slash(monkeypatch):
    lines = ["say I prefer wood", "/say I prefer wood", "pass"]
    session, text = talking(monkeypatch, "SimpleNegotiation", "beside", lines, seat=0)
    assert [session.timeline.done(1)[0], session.timeline.done(3)[0]] == ["say I prefer wood", "pass"]
    assert [line.text for line in session.timeline.words.lines if line.agent == 0] == ["I prefer wood"]
    assert words_in(session.world, 0, "say hello") is None and words_in(build(ID), 0, "say hello") == "hello"


def test_without_talk_say_is_no_word(monkeypatch):
    session, text = talking(monkeypatch, "Werewolf", "typed", ["kill player_3", "/say hello", "silent"])
    assert "To speak" not in text and "'/say hello' names no action" in text and not session.timeline.words
    with pytest.raises(ParameterError, match="no words of their own"):
        session.say(2, "hello")


def test_what_was_said_is_in_the_replay_and_in_a_session_that_plays_on(monkeypatch, tmp_path):
    session, _ = talking(monkeypatch, "Werewolf", "beside", ["kill player_3", "say hello", "silent"])
    lines = session.timeline.words.lines
    replay = session.timeline.replay(session.players())
    replay.save(tmp_path / "it.replay")
    again = Session.of(Replay.load(tmp_path / "it.replay"), session.cast)
    assert again.timeline.words.lines == lines != []
    again.seek(2)
    again.hand(2, False)
    again.advance()
    assert again.timeline.words.lines == [line for line in lines if line.step < 2]
    assert len(replay.words) == len(lines)


def test_hidden_cards_stay_hidden():
    for seed in range(6):
        person, shown, _, _ = typing()
        env = envsuite.make_aec("envsuite/KuhnPoker-v0")
        env.reset(seed=seed)
        with pytest.raises(LeftError):
            person.act_in(env.batch, [0])
        first, second = env.level["cards"]
        picture = shown.getvalue().partition("You are player_0")[0]
        assert "JQK"[first] in picture and "JQK"[second] not in picture


def test_reading():
    world = build("envsuite/Fishery-v0")
    names = world.action_names[0]
    every = np.ones(len(names), np.int8)
    assert read(world, 0, every, "catch 12") == names.index("catch 12")
    assert read(world, 0, every, "CATCH  12") == names.index("catch 12")
    with pytest.raises(ActionError):
        read(world, 0, every, "catch")
    only = np.zeros(len(names), np.int8)
    only[names.index("catch 3")] = 1
    assert read(world, 0, only, "cat") == names.index("catch 3")  # the only legal one that begins so
    sides = build("envsuite/OffSwitch-v0")
    legal = np.ones(len(sides.action_names[0]), np.int8)
    assert read(sides, 0, legal, "switch") == read(sides, 0, legal, "off") == sides.action_names[0].index("switch off")


def test_only_by_batches():
    with pytest.raises(ParameterError, match="act_in"):
        Human().act(np.zeros(3), np.ones(3, np.int8))
