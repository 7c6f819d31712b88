"""The window: its parts, sessions that go back and forth in it, and the keys and clicks of a person.

On SDL's driver that shows nothing; what is seen is read from the picture that would be shown.
"""

import json
import time

import gymnasium
import numpy as np
import pygame
import pytest
from PIL import Image

import envsuite
from envsuite.agents import make_policy
from envsuite.compile import announce
from envsuite.core.errors import ActionError, LevelError, ParameterError, RenderError
from envsuite.core.record import array_of
from envsuite.core.world import World
from envsuite.episodes.replay import Replay, Start, differences
from envsuite.episodes.session import Session
from envsuite.episodes.timeline import Timeline
from envsuite.registry import build
from envsuite.render.panel import Agent, Bar, Numbers, Panel, Quote, grouped, matching, planes_of, table_rows
from envsuite.render.player import Table, start_of
from envsuite.render.scene import Rect, Scene
from envsuite.render.theme import COLORS
from envsuite.render.viewer import CHAT, KNOWS, RULES, SEES, Follower, observed
from envsuite.render.window import Click, Command, Hover, Key, Quit, Resize, Text, Window
from envsuite.talk.table import Talk
from envsuite.talk.words import shown
from envsuite.testing.case import content


@pytest.fixture(autouse=True)
def hidden(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(announce, "_waited", {})  # worlds of other tests that nothing waits for any more
    yield
    pygame.display.quit()


@pytest.fixture
def window(hidden):
    opened = Window("test", size=(900, 600))
    opened.events()  # what opening it brought
    return opened


def room() -> Scene:
    return Scene(4, 3, [Rect(0, 0, 4, 3, "wall"), Rect(1, 1, 1, 1, "floor")])


def post(kind: str, **attributes) -> None:
    pygame.event.post(pygame.event.Event(getattr(pygame, kind), **attributes))


def press(name: str, letter: str = "", control: bool = False) -> None:
    """What SDL sends for a key: the key itself, and its letter."""
    code, mod = pygame.key.key_code(name), pygame.KMOD_CTRL if control else 0
    post("KEYDOWN", key=code, mod=mod, unicode="" if control else letter, scancode=0)
    if letter and letter.isprintable() and not control:
        post("TEXTINPUT", text=letter)
    post("KEYUP", key=code, mod=mod, unicode="", scancode=0)


def click(pos, button: int = 1) -> None:
    post("MOUSEBUTTONDOWN", button=button, pos=pos)
    post("MOUSEBUTTONUP", button=button, pos=pos)


def shot() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1).copy()


def spot(window, wanted):
    """The middle of what means a command, or the action of this name."""
    boxes = [box for box, meant in window._pen.spots if meant == wanted]
    assert boxes, f"nothing means {wanted}"
    return boxes[-1].center


# The window itself.


def test_window_shows_the_scene_and_tells_keys_and_clicks(window):
    window.show(room())
    picture = shot()
    assert picture.shape == (600, 900, 3)
    assert tuple(picture[0, 0]) == COLORS["paper"] and tuple(picture[300, 100]) == COLORS["wall"]
    press("left")
    press("3", "3")
    press("s", "s", control=True)
    # The scene, 4 x 3, has 189 pixels a unit and is centred: its top left corner is (72, 16).
    click((72 + 189 * 2, 16 + 189))
    click((5, 5))
    post("MOUSEMOTION", pos=(72 + 189, 16 + 189), rel=(0, 0), buttons=(0, 0, 0))
    post("QUIT")
    events = window.events()
    assert events[:3] == [Key("left"), Key("3"), Key("s", True)] and events[5:] == [Quit()]
    assert isinstance(events[3], Click) and isinstance(events[4], Hover)
    assert (events[3].x, events[3].y) == pytest.approx((2.0, 1.0), abs=0.02)
    assert (events[4].x, events[4].y) == pytest.approx((1.0, 1.0), abs=0.02)
    assert window.events() == []


def test_a_drag_is_two_clicks(window):
    window.show(room())
    post("MOUSEBUTTONDOWN", button=1, pos=(72 + 95, 16 + 95))
    post("MOUSEBUTTONUP", button=1, pos=(72 + 95 + 189, 16 + 95))
    down, up = window.events()
    assert not down.up and up.up
    assert (up.x - down.x, up.y - down.y) == pytest.approx((1, 0), abs=0.01)


def test_window_types_completes_and_clicks_actions(window):
    actions = ["take 0 tonnes", "take 10 tonnes", "say nothing"]
    window.show(room(), Panel("Fishery", "Kate", blocks=["..."], actions=actions, prompt="type an action"))
    for letter in "10":
        press(letter, letter)
    assert window.events() == [] and window.typed == "10"
    press("tab", "\t")
    assert window.events() == [] and window.typed == "take 10 tonnes"
    press("return", "\r")
    assert window.events() == [Text("take 10 tonnes")] and window.typed == ""
    press("x", "x")
    press("backspace", "\x08")
    press("up")
    press("return", "\r")
    assert window.events() == [Key("up"), Key("return")] and window.typed == ""
    press("/", "?")
    assert window.events() == [Key("?")] and window.typed == ""
    click(spot(window, "say nothing"))
    assert window.events() == [Text("say nothing")]


def test_the_bar_is_clicked_and_dragged(window):
    window.show(room(), bar=Bar(3, 10, curves=np.zeros((11, 2))), colors=["blue", "orange"])
    for name in ("first", "back", "play", "forward", "last", "slower", "faster", "help"):
        click(spot(window, Command(name, 0)))
        assert window.events() == [Command(name, 0)]
    slider = window._slider
    post("MOUSEBUTTONDOWN", button=1, pos=(slider.left + slider.width // 2, slider.bottom - 10))
    post("MOUSEMOTION", pos=(slider.right + 50, 0), rel=(0, 0), buttons=(1, 0, 0))
    post("MOUSEBUTTONUP", button=1, pos=(slider.right + 50, 0))
    first, second = window.events()
    assert first.name == second.name == "seek"
    assert first.value == pytest.approx(0.5, abs=0.01) and second.value == 1.0


def test_the_panel_shows_its_parts(window):
    def count(color: str) -> int:
        return int((shot() == COLORS[color]).all(axis=2).sum())

    window.show(Scene(4, 3), Panel("status", actions=["a", "b"]))
    assert tuple(shot()[5, 890]) == COLORS["panel"]
    assert count("bad") == 0 and count("blue") == 0
    window.show(Scene(4, 3), Panel("status", actions=["a", "b"], marked="b", error="there is no action 'c'"))
    assert count("bad") > 30 and count("blue") > 300
    agents = [Agent(f"player_{k}", "orange", "random", "1", "left", k == 1) for k in range(2)]
    window.show(Scene(4, 3), Panel("status", agents=agents, pages=["A", "B"], page="A", blocks=["words"]))
    assert count("orange") > 100
    for wanted in (Command("agent", 0), Command("player", 1), Command("page", "B")):
        click(spot(window, wanted))
        assert window.events() == [wanted]
    window.show(Scene(4, 3), help=[("space", "play")])
    assert count("panel") > 10_000


@pytest.mark.parametrize("from_end", [False, True])
def test_the_wheel_scrolls(window, from_end):
    blocks = [f"line {k}" for k in range(80)]
    window.show(Scene(4, 3), Panel("many", blocks=blocks, from_end=from_end))
    before = shot()
    post("MOUSEWHEEL", y=1 if from_end else -1, x=0)
    window.events()
    assert not np.array_equal(shot(), before)
    post("MOUSEWHEEL", y=-1 if from_end else 1, x=0)
    window.events()
    assert np.array_equal(shot(), before)


def test_window_resizes_waits_and_closes(window):
    window.show(room(), Panel("narrow"), Bar())
    pygame.display.set_mode((400, 700), pygame.RESIZABLE)
    post("VIDEORESIZE", w=400, h=700, size=(400, 700))
    assert Resize(400, 700) in window.events()
    assert shot().shape == (700, 400, 3)
    assert tuple(shot()[690, 390]) == COLORS["panel"]  # below the scene now
    for size in ((60, 40), (1, 1), (2000, 100), (100, 2000)):  # nothing fits, and nothing breaks
        pygame.display.set_mode(size, pygame.RESIZABLE)
        post("VIDEORESIZE", w=size[0], h=size[1], size=size)
        assert Resize(*size) in window.events()
    started = time.monotonic()
    assert window.events(timeout=0.15) == []
    assert 1000 * (time.monotonic() - started) >= 140
    window.close()
    window.close()
    assert window.closed and window.events() == [Quit()]
    with pytest.raises(RenderError, match="closed"):
        window.show(room())


def test_matching_actions():
    names = ["take 1", "take 10", "say: take 1 now", "pass"]
    assert matching(names, "") == names
    assert matching(names, "Take 1") == ["take 1", "take 10", "say: take 1 now"]
    assert matching(names, "10 take") == ["take 10"]


def test_boards_are_rows_and_all_else_is_prose():
    def rows(text):
        return [line for line, is_row in zip(text.splitlines(), table_rows(text.splitlines())) if is_row]

    board = "8  r n b q\n7  . p . p\n   a b c d"
    assert (
        rows(f"{board}\nFEN: 7p/4p1p1/1p1p1p2/8/2P5/1P3P2/3P1P1P/7K b - - 0 5\nIt is your turn.") == board.splitlines()
    )
    kitchen = "0 XPXOX\n1 X1  D\n2 O0  X\n3 XXSXX"
    assert rows(f"The kitchen:\n{kitchen}\nYou are chef_0.") == kitchen.splitlines()
    assert rows("5 10 20\nYou have 20 coins, and it is your turn.") == rows("a1 b2 c3") == []


def test_groups_of_actions():
    assert list(grouped(["check SIM", "check APN", "toggle data", "toggle VPN"])) == ["check", "toggle"]
    assert grouped(["e2e3", "e2e4", "b1a3", "b1c3"]) == {"e2": ["e2e3", "e2e4"], "b1": ["b1a3", "b1c3"]}
    assert list(grouped(["a1", "a10", "b1", "b2", "pass", "c2", "c3", "c4"])) == ["a", "b", "pass", "c"]
    assert grouped(["bid 1", "bid 2", "bid 3"]) == grouped(["go", "stay"]) == {}


@pytest.mark.parametrize("groups", [True, False])
def test_all_actions_are_reached_by_mouse(window, groups):
    """What does not fit comes in groups, which a click opens; and the wheel goes through what still does not fit."""
    heads = [f"verb{k}" for k in range(12)] if groups else ["say"]
    actions = [f"{head} {k}" for head in heads for k in range(120 // len(heads) * (1 if groups else 3))]
    panel = Panel("many", blocks=["words"], actions=actions)
    window.show(Scene(4, 3), panel)
    found = set()

    def look() -> None:
        for _ in range(200):
            found.update(meant for _, meant in window._pen.spots if isinstance(meant, str))
            before = window._pen.row
            if window._pen.list_at:
                post("MOUSEMOTION", pos=window._pen.list_at.center, rel=(0, 0), buttons=(0, 0, 0))
                post("MOUSEWHEEL", y=-3, x=0)
            window.events()
            if window._pen.row == before:
                break

    look()
    for head in heads if groups else ():
        assert not any(name.startswith(f"{head} ") for name in found)
        click(spot(window, Command("group", head)))
        assert window.events() == []
        look()
        window.show(Scene(4, 3), panel)  # stays open
        assert window._pen.group == head
        post("MOUSEWHEEL", y=100, x=0)
        window.events()
        click(spot(window, Command("group", "")))
        window.events()
    assert found == set(actions)
    window.show(Scene(4, 3), Panel("many", blocks=["words"], actions=actions, marked=actions[-1]))
    assert window._pen.row == 0 or not groups  # the marked one is in view
    window.show(Scene(4, 3), Panel("many", blocks=["words"], actions=actions[1:], marked=actions[-1]))
    assert groups or spot(window, actions[-1])


@pytest.mark.parametrize(
    "shape, planes, size",
    [((5,), 1, (1, 5)), ((), 1, (1, 1)), ((4, 6), 1, (4, 6)), ((7, 7, 3), 3, (7, 7)), ((119, 8, 8), 119, (8, 8)),
     ((4, 5, 26), 26, (4, 5)), ((2, 3, 6, 6), 6, (6, 6))],
)  # fmt: skip
def test_planes_of_arrays(shape, planes, size):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    found = planes_of(values)
    assert len(found) == planes and {plane.shape for plane in found} == {size}
    assert sorted(np.concatenate([plane.ravel() for plane in found]).tolist()) == values.ravel().tolist()


@pytest.mark.parametrize("id", ["Harvest", "Overcooked", "Chess", "Traitors", "Telecom", "Crafter", "Hanabi"])
def test_observations_are_drawn(window, id):
    world = build(id)
    session = Session(world, dict.fromkeys(range(len(world.agents)), make_policy("random", world)), 1)
    blocks = list(observed(world, session.timeline.at(0), 0))
    sizes = sum(block.values.size for block in blocks)
    assert sizes == sum(int(np.prod(part.shape)) for part in _parts(world.observation_spaces[0]))
    window.show(room(), Panel(world.id, blocks=[*blocks, Quote("a", "blue", "words")]))


def _parts(space):
    return list(space.values()) if hasattr(space, "keys") else [space]


def test_numbers_are_seen_in_colours(window):
    def blues(block) -> int:
        window.show(Scene(4, 3), Panel(blocks=[block]))
        return int((shot() == COLORS["blue"]).all(axis=2).sum())

    assert blues(Numbers("x", np.zeros((3, 3)), 0, 1)) == 0
    nine = blues(Numbers("x", np.ones((3, 3)), 0, 1))
    one = blues(Numbers("x", np.eye(3)[:1].repeat(3, 0), 0, 1))
    assert nine > 2.5 * one > 0


# Timelines and sessions.


def session_of(name, policy="random", seed=3, **options):
    world = build(name)
    return Session(world, dict.fromkeys(range(len(world.agents)), make_policy(policy, world)), seed, **options)


def test_a_timeline_is_the_episode_exactly():
    session = session_of("Harvest", "greedy")
    seen = []
    for _ in session.play(40):
        seen.append((session.batch.records.tobytes(), session.batch.observations.copy(), session.batch.rewards.copy()))
    timeline = session.timeline
    for step in (40, 0, 17, 3, 39):
        moment = timeline.at(step)
        record, observations, rewards = seen[step]
        timeline.put(session.batch, step)
        assert session.batch.records.tobytes() == record
        assert np.array_equal(moment.observations, observations[0])
        assert moment.rewards.tolist() == rewards[0].tolist()
    assert timeline.returns()[-1].tolist() == sum(rewards[0] for *_, rewards in seen).tolist()
    replay = timeline.replay({"player_0": "greedy"})
    replay.verify()
    again = Timeline.of(Replay.from_bytes(replay.to_bytes()))
    assert differences(again.replay(), replay) == [] and again.replay().checksums == replay.checksums


def test_messages_and_what_was_done_are_kept():
    session = session_of("Traitors")
    for _ in session.play(25):
        pass
    timeline = session.timeline
    spoken = [step for step, *_ in timeline.messages]
    assert spoken == sorted(spoken) and len(spoken) > 3
    done = timeline.done(spoken[0])
    assert done[timeline.messages[0][1]] and timeline.done(0) == [""] * 10
    timeline.cut(spoken[0] - 1)
    assert timeline.messages == [] and len(timeline) == spoken[0] - 1


def test_going_back_and_on_is_the_same_episode():
    """The policies' memories and streams go back too: Harvest's random players draw from their own."""
    session = session_of("Harvest")
    for _ in session.play(30):
        pass
    first = session.timeline.replay()
    session.seek(12)
    for _ in session.play(18):
        pass
    second = session.timeline.replay()
    assert second.to_bytes() == first.to_bytes()


def test_a_move_in_the_past_drops_the_future():
    session = session_of("ConnectFour", persons=[0])
    for _ in range(3):
        session.choose(0, 3)
        session.advance()
        session.advance()
    assert len(session.timeline) == 6
    session.seek(2)
    session.choose(0, 0)
    session.advance()
    assert len(session.timeline) == 3 and session.timeline.done(3)[0] == "column 1"
    session.timeline.replay().verify()


def test_persons_choose_before_anything_happens():
    session = session_of("RepeatedGame", persons=[0, 1])
    assert session.waiting() == 0
    with pytest.raises(ActionError, match="player_0 has not chosen yet"):
        session.advance()
    session.choose(0, 1)
    assert session.waiting() == 1 and session.turn(0) == "player_0 has chosen."
    with pytest.raises(ActionError, match="out of range"):
        session.choose(1, 99)
    session.hand(1, person=False)
    session.advance()
    assert session.step == 1 and session.timeline.done(1)[0] == "defect"
    world = session.world
    with pytest.raises(ParameterError, match="nobody plays player_1"):
        Session(world, {}, persons=[0])
    with pytest.raises(ParameterError, match="has no policy that could take over"):
        Session(world, {}, persons=[0, 1]).hand(0, person=False)


def test_sessions_start_anew_and_write_replays(tmp_path):
    session = session_of("KuhnPoker", path=tmp_path / "game.replay")
    for _ in session.play():
        pass
    first = session.returns
    session.begin()
    assert session.start.seed == 4
    session.begin(Start(3))
    for _ in session.play():
        pass
    assert session.returns.tolist() == first.tolist()
    level = session.world.get_level(session.batch.record())
    with pytest.raises(LevelError):
        session.begin(Start(0, {"cards": [9, 9]}))
    assert session.over and len(session.timeline) > 1
    session.begin(Start(0, level))
    session.close()
    assert [path.name for path in session.written] == ["game.replay", "game-2.replay"]
    assert [result.tolist() for result in session.results] == [first.tolist()] * 2
    for path in session.written:
        Replay.load(path).verify()


def test_starts(tmp_path):
    assert start_of(" 12 ") == Start(12)
    level = tmp_path / "level.json"
    level.write_text(json.dumps([{"cards": [0, 1]}]))
    assert start_of(str(level)) == Start(0, {"cards": [0, 1]})
    for text in (str(2**64), "nothing.json", str(tmp_path)):
        with pytest.raises(ParameterError):
            start_of(text)
    level.write_text("[]")
    with pytest.raises(ParameterError, match="holds no level"):
        start_of(str(level))


# A session in a window: keys and clicks.


@pytest.fixture
def table(window):
    def opened(name, policy="random", steps=0, seed=3, **options) -> Table:
        session = session_of(name, policy, seed, **options)
        table = Table(session, window)
        for _ in session.play(steps):
            pass
        table.step, table.playing = session.step, False
        table.show()
        return table

    return opened


def do(table) -> bool:
    """Let a table handle what was posted, and draw itself; whether it is to be left."""
    left = [table.handle(event) for event in table.window.events()]
    table.show()
    return any(left)


def test_scrubbing(table):
    table = table("Harvest", steps=40)
    before = shot()
    press("left")
    press("left")
    do(table)
    assert table.step == table.session.step == 38 and not np.array_equal(shot(), before)
    press("end")
    do(table)
    assert table.step == 40 and np.array_equal(shot(), before)
    press("home")
    do(table)
    assert table.step == 0
    slider = table.window._slider
    click((slider.left + slider.width // 4, slider.bottom - 12))
    do(table)
    assert table.step == 10
    press("right")
    do(table)
    assert table.step == 11 and not table.playing
    press("space", " ")
    do(table)
    assert table.playing
    table._due = 0.0
    table.forward()
    assert table.step == 12 and len(table.timeline) == 40  # what is there is shown, not played anew


def test_at_the_end_it_plays_from_the_start(table):
    table = table("KuhnPoker", steps=10)
    assert table.session.over
    press("space", " ")
    do(table)
    assert table.playing and table.step == table.session.step == 0


def test_it_goes_on_by_itself_and_by_steps(table):
    table = table("Harvest")
    press("right")
    do(table)
    assert table.step == len(table.timeline) == 1
    for wanted in ("+", "+", "-"):
        press(wanted, wanted)
    do(table)
    assert table.speed == 15.0
    press("space", " ")
    do(table)
    for _ in range(3):
        table._due = 0.0
        table.forward()
    assert table.step == len(table.timeline) == 4


def test_looking_at_agents(table):
    table = table("Harvest", steps=5)
    everything = shot()
    press("down")
    press("v", "v")
    do(table)
    assert table.focus == 1 and table.viewpoint() == 1
    assert not np.array_equal(shot(), everything)
    click(spot(table.window, Command("agent", 4)))
    click(spot(table.window, Command("page", SEES)))
    do(table)
    assert table.focus == 4 and table.page == SEES and table.panel().blocks[1].values.shape == (11, 11)
    press("k", "k")
    do(table)
    assert table.page != SEES
    click(spot(table.window, Command("page", RULES)))
    assert table.panel().blocks == [table.world.prompt(table.moment.record, table.focus)]
    press("/", "?")
    do(table)
    assert table.helping
    press("escape")
    assert not do(table) and not table.helping
    press("escape")
    assert do(table)


def test_a_world_without_text_has_a_panel(table, monkeypatch):
    table = table("TicTacToe", persons=[0])
    assert "your turn" in table.panel().blocks[0]
    monkeypatch.setattr(type(table.world), "text", World.text)
    table.changed()
    table.show()
    assert table.panel().blocks == [] and table.panel().actions


def test_messages_are_a_chat(table):
    table = table("Traitors", steps=25)
    click(spot(table.window, Command("page", CHAT)))
    do(table)
    said = len(table.panel().blocks)
    press("home")
    do(table)
    assert said > 3 and table.panel().blocks == []


def enter(table, text: str) -> None:
    """Type a text and enter it."""
    for letter in text:
        press("space" if letter == " " else letter.lower(), letter)
    press("return", "\r")
    do(table)


def at_discussion(table, mode):
    """A table of Werewolf at which a person, a wolf, is to speak on the first day."""
    table = table("Werewolf", persons=[2], talk=Talk(mode))
    enter(table, "kill player_3")
    until_asked(table)
    return table


def until_asked(table) -> None:
    """Let policies play until a person must choose."""
    while table.session.waiting() is None:
        table.playing, table._due = True, 0.0
        table.forward()
    table.show()


def shown_on(table, page) -> str:
    """The page of the panel as text."""
    table.page = page
    return "\n".join(str(block) for block in table.panel().blocks)


def test_a_person_speaks_in_the_window(table):
    table = at_discussion(table, "free")
    assert table._told().startswith("Ctrl+T: say something")
    assert "You can speak to all, with at most 60 words." in shown_on(table, KNOWS)
    press("t", control=True)
    do(table)
    assert table.panel().prompt == "your words" and "Enter: say this" in table._told()
    press("escape")
    do(table)
    assert table.asked == "" and table.panel().prompt != "your words"
    press("t", "t")  # a letter, as actions have keys and there is no text box
    do(table)
    enter(table, "i am no wolf")
    assert table.note == 'You will say: "i am no wolf"' and 'You will say: "i am no wolf"' in shown_on(table, KNOWS)
    assert not [line for line in table.timeline.words.lines if line.agent == 2]
    press("s", "s")
    do(table)
    assert [(line.text, line.act) for line in table.timeline.words.lines if line.agent == 2] == [
        ("i am no wolf", "silent")
    ]
    assert 'player_2: "i am no wolf"' in shown_on(table, CHAT)
    until_asked(table)  # to vote, by typing
    enter(table, "say hello")
    assert "cannot speak now" in table.panel().error and table._told().startswith("s: silent")


def test_a_person_in_free_talk_sees_words_and_no_acts(table):
    tables = {mode: at_discussion(table, mode) for mode in ("free", "beside")}
    for mode, one in tables.items():
        heard = [shown(line, one.world.agents) for line in one.timeline.heard(2, one.step)]
        assert heard and all(line in shown_on(one, page) for line in heard for page in (KNOWS, CHAT))
        assert ("claims to be" in shown_on(one, CHAT)) == (mode == "beside")
        assert ("claims to be" in shown_on(one, KNOWS)) == (mode == "beside")
        assert (SEES in one.pages()) == (mode == "beside")
    pictures = [one.scene().svg() for one in tables.values()]
    assert "claims" in pictures[1] and "claims" not in pictures[0]


def test_words_to_others_are_not_shown(table):
    table = at_discussion(table, "beside")
    line = table.timeline.words.lines[0]
    table.timeline.words.lines.append(line._replace(to=(1,), text="a secret"))
    table.timeline.words.lines.append(line._replace(to=(2,), text="a word to you"))
    assert "a secret" not in shown_on(table, CHAT) and "a word to you" in shown_on(table, CHAT)
    assert "a secret" not in shown_on(table, KNOWS) and "a word to you" in shown_on(table, KNOWS)
    table.own = False
    assert "a secret" in shown_on(table, CHAT)  # as spectators hear all


def test_nobody_speaks_where_it_cannot(table):
    table = table("Werewolf", persons=[2], talk=Talk("beside"))
    press("t", control=True)
    do(table)
    assert table.asked == "" and table.panel().error == "You cannot speak now."


def test_a_person_plays_with_keys_clicks_and_typing(table):
    table = table("ConnectFour", persons=[0])
    assert table.panel().turn == "Your move, player_0." and table.own

    def others() -> None:
        table._due = 0.0
        table.forward()

    press("4", "4")
    do(table)
    others()
    left, top, unit, *_ = table.window._scene_at
    click((left + round(2 * unit), top + round(3 * unit)))
    do(table)
    others()
    press("tab", "\t")
    do(table)
    for letter in "column 9":
        press(letter if letter != " " else "space", letter)
    press("return", "\r")
    do(table)
    assert "'column 9' names no action" in table.panel().error and len(table.timeline) == 4
    click(spot(table.window, "column 6 (6)"))
    do(table)
    assert table.panel().error == ""
    assert [table.timeline.done(step)[0] for step in (1, 3, 5)] == ["column 4", "column 2", "column 6"]
    assert "player_1: column" in table._told() or table.session.waiting() is None


def test_an_illegal_move_is_refused_with_the_reason(table):
    table = table("TicTacToe", persons=[0, 1])
    press("5", "5")
    do(table)
    press("5", "5")
    do(table)
    assert "is illegal here; legal:" in table.panel().error and len(table.timeline) == 1
    before = shot()
    press("1", "1")
    do(table)
    assert table.panel().error == "" and len(table.timeline) == 2 and not np.array_equal(shot(), before)


def test_keys_of_actions_need_control_to_be_commands(table):
    table = table("DoorKey", persons=[0])
    press("space", " ")  # toggles
    press("left")
    do(table)
    assert [table.timeline.done(step)[0] for step in (1, 2)] == ["toggle", "left"]
    press("left", control=True)
    do(table)
    assert table.step == 1 and len(table.timeline) == 2


def test_legal_places_are_marked_and_told(table):
    table = table("TicTacToe", persons=[0, 1])
    plain = len(table.world.scene(table.moment.record, 0).shapes)
    assert len(table.scene().shapes) == plain + 2 * 9
    left, top, unit, *_ = table.window._scene_at
    marks = table.scene().shapes[plain::2]
    labels = {shape.text: shape for shape in table.scene().shapes if hasattr(shape, "text")}
    middles = [[labels[column].x, labels[row].y] for row in "321" for column in "abc"]
    assert np.allclose(middles, [[mark.x, mark.y] for mark in marks], atol=0.04)
    table.handle(Hover(marks[4].x, marks[4].y))
    assert table.bar().note == f"A click: {table.world.action_names[0][4]}"
    table.handle(Click(marks[4].x, marks[4].y))
    assert len(table.timeline) == 1


def test_two_clicks_or_a_drag_move_a_piece(table):
    table = table("Chess", persons=[0, 1])
    squares = {}
    for square in ("e2", "e4", "e7", "e5", "d2"):
        label = {"file": square[0], "rank": square[1]}
        labels = {shape.text: shape for shape in table.scene().shapes if hasattr(shape, "text")}
        squares[square] = labels[label["file"]].x, labels[label["rank"]].y
    table.handle(Click(*squares["e4"]))
    assert table.begun is None  # no move starts there
    table.handle(Click(*squares["e2"]))
    assert table.begun == squares["e2"]
    plain = len(table.world.scene(table.moment.record, 0).shapes)
    assert len(table.scene().shapes) == plain + 5  # the piece, and rings on e3 and e4
    table.handle(Click(*squares["e4"]))
    assert table.timeline.done(1)[0] == "e2e4" and table.begun is None


def test_the_last_action_of_every_agent_is_shown(table):
    table = table("ConnectFour", persons=[0, 1])
    for action in (3, 0, 6):
        table.session.choose(table.session.waiting(), action)
        table.session.advance()
    table.seek(2)
    assert [(row.action, row.just_now) for row in table.agents()] == [("column 4", False), ("column 1", True)]
    table.seek(1)
    assert [(row.action, row.just_now) for row in table.agents()] == [("column 4", True), ("", False)]


def test_held_keys_repeat_at_the_speed_shown(table, monkeypatch):
    """What a key does while it is held is what its press did, also while others are to move."""
    now = [100.0]
    monkeypatch.setattr("envsuite.render.viewer.time.monotonic", lambda: now[0])
    table = table("DoorKey", persons=[0])
    table.speed = 4.0
    for held in (False, *[True] * 32):  # two seconds
        for event in [event for event in [Key("left", held=held)] if table._counts(event)]:
            table.handle(event)
        now[0] += 1 / 16
    assert len(table.timeline) == 9
    monkeypatch.setattr(table.session, "waiting", lambda: None)
    now[0] += 1
    table.handle(Key("left", held=True))
    assert table.step == 9
    table.handle(Key("left"))
    assert table.step == 8  # a press of its own is a command now
    monkeypatch.undo()
    table.handle(Key("left", held=True))
    assert table.step == 8 and len(table.timeline) == 9
    press("right", control=True)
    code = pygame.key.key_code("left")
    for _ in range(2):
        post("KEYDOWN", key=code, mod=0, unicode="", scancode=0)
    assert [event.held for event in table.window.events() if isinstance(event, Key)] == [False, False, True]


def test_seats_are_taken_over_and_handed_back(table):
    table = table("Harvest", "greedy", steps=5)
    click(spot(table.window, Command("player", 2)))
    do(table)
    assert table.session.persons == {2} and table.focus == 2 and table.own
    assert table.panel().turn == "Your move, player_2."
    assert [row.total for row in table.panel().agents].count("") == 6  # what the others get is not known
    press("up")
    do(table)
    assert table.timeline.done(6)[2] == "forward" and all(table.timeline.done(6))
    press("o", "o")
    do(table)
    assert table.session.persons == set() and not table.own
    press("right")
    do(table)
    assert len(table.timeline) == 7


def test_episodes_begin_from_seeds_and_levels(table, tmp_path):
    table = table("KuhnPoker", steps=2)
    press("n", "n")
    do(table)
    assert table.session.start == Start(4) and len(table.timeline) == 0
    level = {"cards": [2, 0]}
    (tmp_path / "level.json").write_text(json.dumps(level))
    for text, start in (("77", Start(77)), (str(tmp_path / "level.json"), Start(0, level))):
        press("g", "g")
        do(table)
        post("TEXTINPUT", text=text)
        press("return", "\r")
        do(table)
        assert table.session.start == start
    press("g", "g")
    do(table)
    post("TEXTINPUT", text="no such file")
    press("return", "\r")
    do(table)
    assert "neither a seed nor the file of a level" in table.panel().error
    press("r", "r")
    do(table)
    assert table.session.start == Start(0, level) and table.panel().error == ""


def test_saving(table, tmp_path):
    table = table("Harvest", steps=12)
    for name in ("a.png", "a.gif", "a.mp4", "a.replay", "a.html", "a.txt"):
        press("s", "s")
        do(table)
        assert table.panel().prompt.startswith("a file")
        post("TEXTINPUT", text=str(tmp_path / name))
        press("return", "\r")
        do(table)
        if name == "a.txt":
            assert "ends in one of .png" in table.panel().error
        else:
            assert table.bar().note.startswith("Wrote ")
    assert Image.open(tmp_path / "a.gif").n_frames == 13
    replay = Replay.load(tmp_path / "a.replay")
    replay.verify()
    assert len(replay) == 12 and replay.players["player_3"] == "random"
    assert "Harvest" in (tmp_path / "a.html").read_text()


@pytest.fixture
def recording(window):
    """Twenty steps of Harvest, in which one agent was played by somebody else than the policies that play on."""
    first = session_of("Harvest", "greedy")
    for _ in first.play(20):
        pass
    table = Table(Session.of(first.timeline.replay({**first.players(), "player_0": "Ann"}), first.cast), window)
    table.seek(0)
    return table


def test_a_replay_ends_where_its_recording_does(recording):
    table, session = recording, recording.session
    replay = table.timeline.replay(table.players())
    while table.playing:
        table._due = 0.0
        table.forward()
    press("right")
    do(table)
    assert table.step == len(table.timeline) == 20 and not session.over
    assert table.panel().turn == "The recording ends here." and "C lets the policies play on" in table.bar().note
    assert [row.player for row in table.panel().agents[:2]] == ["Ann", "greedy"]
    assert replay.players["player_0"] == "Ann"
    press("space", " ")
    do(table)
    assert table.playing and table.step == 0  # shows it again
    press("end")
    press("c", "c")
    do(table)
    assert table.step == 21 and table.playing and table.bar().recorded == 20
    assert table.panel().turn == "Not recorded: played on from step 20."
    assert [row.player for row in table.panel().agents[:2]] == ["greedy", "greedy"]
    assert table.players()["player_0"] == "Ann, from step 20 greedy"
    assert (shot() == COLORS["orange"]).all(axis=2).sum() > 100
    table._due = 0.0
    table.forward()
    assert table.step == 22
    press("left")
    press("left")
    do(table)
    assert [row.player for row in table.panel().agents[:2]] == ["Ann", "greedy"]


def test_a_replay_is_taken_over(recording):
    table = recording
    table.seek(12)
    table.handle(Command("player", 0))
    press("up")
    do(table)
    assert len(table.timeline) == 13 and table.bar().recorded == 12
    assert table.players()["player_0"] == "Ann, from step 12 a person" and table.players()["player_1"] == "greedy"
    table.handle(Command("next"))
    assert table.session.recorded is None and table.players()["player_0"] == "a person"


def test_what_is_being_compiled_is_said_below_the_picture(window, monkeypatch):
    table = Table(session_of("KuhnPoker", seed=1), window)
    assert table.bar().note == ""
    monkeypatch.setattr("envsuite.compile.announce._waited", {0: ("KuhnPoker's rules", time.monotonic() - 2, bool)})
    assert table.bar().note == "Compiling KuhnPoker's rules, once for this version: 2 s"
    table.show()
    table.tell("Wrote a.png")
    assert table.bar().note == "Wrote a.png"


def test_what_this_process_compiles_is_said_in_the_window_first(window, monkeypatch):
    table, said = Table(session_of("KuhnPoker", seed=1), window), []
    monkeypatch.setattr(window, "show", lambda scene, panel, bar, *_: said.append(bar.note))

    def wait():
        with announce.announced("a planner"):
            return [Quit()]

    monkeypatch.setattr(table, "wait", wait)
    table.run()
    with announce.announced("a planner"):
        pass
    assert said == ["", "Compiling a planner, once for this version"]


def test_running_until_it_is_left(window, monkeypatch):
    table = Table(session_of("KuhnPoker", seed=1), window, speed=1000, episodes=2)
    monkeypatch.setattr("envsuite.render.player.HOLD", 0.0)
    waits = []

    def wait():
        waits.append(1)
        return [Quit()] if table.episodes == 1 and table.session.over else []

    monkeypatch.setattr(table, "wait", wait)
    table.run()
    assert table.session.start == Start(2) and len(waits) < 1000


@pytest.mark.mostly_slow
@pytest.mark.parametrize("id", envsuite.ids())
def test_whatever_a_person_does_the_episode_stays_whole(window, id):
    """Keys, clicks and drags by chance in every world: nothing breaks, and what was played can be replayed."""
    rng = np.random.default_rng(sum(map(ord, id)))
    table = Table(session_of(id, persons=[0]), window)
    names = [*table.world.keys, "left", "right", "home", "space", "tab", "return", "v", "o", "k", "n", "?"]
    for _ in range(25):
        table.show()
        if rng.random() < 0.4:
            name = names[rng.integers(len(names))]
            table.handle(Key(name, bool(rng.random() < 0.3)))
        else:
            boxes = [box.center for box, _ in window._pen.spots]
            anywhere = rng.random() < 0.5 or not boxes
            x, y = rng.integers((900, 600)).tolist() if anywhere else boxes[rng.integers(len(boxes))]
            post("MOUSEMOTION", pos=(x, y), rel=(0, 0), buttons=(0, 0, 0))
            post("MOUSEBUTTONDOWN", button=1, pos=(x, y))
            post("MOUSEBUTTONUP", button=1, pos=(x + 60 * int(rng.integers(2)), y))
        assert not do(table)
        table._due = 0.0
        table.forward()
    table.timeline.replay().verify()


# Episodes that somebody else drives.


def test_human_mode_follows_halts_and_looks_back(monkeypatch):
    env = envsuite.make_parallel("Harvest", render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset(seed=1)
    viewer = env._viewer
    assert isinstance(viewer, Follower) and len(viewer.timeline) == 0
    for _ in range(3):
        env.step(dict.fromkeys(env.agents, 1))
    assert len(viewer.timeline) == viewer.step == 3
    assert content(array_of(viewer.timeline.at(3).record)) == content(env.batch.records)
    press("space", " ")
    asked = iter([[Key("left")], [Key("left")], [Key("space")]])  # looks back, and lets go on
    inner = viewer.wait
    monkeypatch.setattr(viewer, "wait", lambda: inner() + next(asked, []))
    env.step(dict.fromkeys(env.agents, 1))
    assert next(asked, None) is None and viewer.step == len(viewer.timeline) == 4
    env.reset(seed=2)
    assert len(viewer.timeline) == 0
    viewer.timeline.replay().verify()
    post("QUIT")
    env.step(dict.fromkeys(env.agents, 1))
    with pytest.raises(RenderError, match="closed"):
        env.render()
    env.close()


def test_human_mode_shows_the_others_moves():
    env = gymnasium.make("envsuite/ConnectFour-v0", opponents="random", render_mode="human")
    env.unwrapped.metadata["render_fps"] = 1000
    env.reset(seed=1)
    env.step(3)
    viewer = env.unwrapped._viewer
    assert len(viewer.timeline) == 2 and viewer.timeline.done(2)[1]
    env.close()
