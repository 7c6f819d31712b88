"""The page: it embeds the scenes, actions, masks, rewards, texts and messages of a replay, and needs nothing else."""

import html
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from browser import embedded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.core.world import heard
from envsuite.episodes.replay import Replay
from envsuite.episodes.session import Session
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.render import page as pages
from envsuite.render.page import Edits, _ending, frame, page
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect

#: Worlds: one of perfect information, and three in which agents see less: a part of a grid, a card, a role.
PLAYED = {"TicTacToe": 9, "Harvest": 120, "KuhnPoker": 9, "Werewolf": 60}


@pytest.fixture(scope="module")
def games():
    found = {}
    for name, steps in PLAYED.items():
        world = registry.build(name)
        policy = make_policy("random", world)
        session = Session(world, dict.fromkeys(range(len(world.agents)), policy), 2)
        for _ in session.play(steps):
            pass
        found[name] = session.timeline.replay({world.agents[0]: "<b>random</b>"})
    return found


def restored(edits):
    """All lists of a sequence, from their edits."""
    found, last = [], []
    for entry in edits:
        made, at, k = [], 0, 0
        while k < len(entry):
            keep, drop, insert = entry[k : k + 3]
            made += last[at : at + keep] + entry[k + 3 : k + 3 + insert]
            at, k = at + keep + drop, k + 3 + insert
        last = made + last[at:]
        found.append(last)
    return found


def shapes_of(film):
    """The pictures of a film as tuples of what is seen of each shape, in thousandths of a unit."""
    kinds, xs, ys = film["items"]
    for ground, items in zip(restored(film["grounds"]), restored(film["frames"]), strict=True):
        width, height, background = ground
        found = []
        for item in items:
            kind, *rest = film["sprites"][kinds[item]]
            if kind in "pl":
                points = np.array(rest.pop()).reshape(-1, 2) + [xs[item], ys[item]]
                found.append((kind, *rest, points.tolist()))
            else:
                found.append((kind, *rest, xs[item], ys[item]))
        yield width, height, film["sprites"][background][1], found


def seen(scene):
    """What is seen of a scene's shapes, as `shapes_of` has it."""

    def whole(value):
        return round(1000 * float(value))

    found = []
    for shape in scene.shapes:
        match shape:
            case Label(x, y, text, size, color, align, bold, width):
                room = None if width is None else whole(width)
                found.append(("t", color, whole(size), align, int(bold), room, text, whole(x), whole(y)))
            case Line(points, color, width):
                found.append(("l", color, whole(width), [[whole(x), whole(y)] for x, y in points]))
            case Polygon(points, fill, outline, line):
                found.append(("p", fill, outline, whole(line), [[whole(x), whole(y)] for x, y in points]))
            case Circle(x, y, radius, fill, outline, line):
                found.append(("c", fill, outline, whole(line), whole(radius), whole(x), whole(y)))
            case Rect(x, y, width, height, fill, outline, line, radius):
                size = whole(x + width) - whole(x), whole(y + height) - whole(y)
                found.append(("r", fill, outline, whole(line), *size, whole(radius), whole(x), whole(y)))
    return whole(scene.width), whole(scene.height), scene.background, found


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name", PLAYED)
def test_the_page_holds_what_happened(games, name):
    replay = games[name]
    world, data = replay.world, embedded(page(replay))
    films = {None: data["film"], **{int(a): film for a, film in data.get("seats", {}).items()}}
    own = name != "TicTacToe"
    assert set(films) == {None, *(range(len(world.agents)) if own else ())}
    decoded = {viewer: list(shapes_of(film)) for viewer, film in films.items()}
    assert "missing" not in data
    told = [data["pages"][k] for k in data["rules"]]
    assert told == [world.prompt(replay.at(0).record, a) for a in range(len(world.agents))]
    assert data["steps"] == len(replay)
    for moment in replay.play():
        k, s = moment.step, moment.record
        for viewer, pictures in decoded.items():
            assert len(pictures) == len(replay) + 1
            assert pictures[k] == seen(world.scene(s, viewer))
        for a in range(len(world.agents)):
            assert data["masks"][a][k] == np.flatnonzero(moment.masks[a]).tolist()
            assert data["rewards"][a][k] == moment.rewards[a]
            assert [data["lines"][line] for line in data["texts"][a][k]] == world.text(s, a).splitlines()
            if moment.actions is not None:
                assert data["actions"][a][k] == (moment.actions[a] if moment.acting[a] else None)
            names = data["actionNames"][data["names"][a]]
            assert tuple(names) == world.action_names[a]
    assert [end is not None for end in data["ends"]] == [replay.over] * len(world.agents)


@pytest.mark.parametrize(
    ("name", "returns", "said"),
    [
        ("KuhnPoker", [1, -1], "player_0 wins: player_0 1, player_1 -1."),
        ("TicTacToe", [0, 0], "A draw: all get 0."),
        ("DoorKey", [0.95], "agent gets 0.95."),
        (
            "PublicGoods",
            [3, 4, 4, 1],
            "player_1, player_2 get the most: player_0 3, player_1 4, player_2 4, player_3 1.",
        ),
        ("Overcooked", [20, 20], "All get 20."),
    ],
)
def test_the_end_says_who_won(name, returns, said):
    world = registry.build(f"envsuite/{name}-v0")
    replay = Session(world, dict.fromkeys(range(len(world.agents)), make_policy("random", world)), 0).timeline.replay()
    assert embedded(page(replay))["ending"] == "The recording ends here; the episode is not over."
    ended = replace(replay, over=True, returns=np.array(returns, float))
    assert _ending(ended) == said


def test_on_a_phone_the_controls_stay_in_sight():
    style = (files("envsuite.render") / "page.html").read_text("utf-8")
    phone = style[style.index("@media (max-width: 760px)") : style.index("</style>")]
    assert "footer { position: sticky; bottom: 0;" in phone and ".controls { flex-wrap: wrap;" in phone


def test_observed_grids(games):
    replay = games["Harvest"]
    data = embedded(page(replay))
    assert data["parts"][0] == [["view", [11, 11]]]
    for moment in replay.play():
        for a in range(7):
            assert data["views"][a][moment.step] == moment.observations[a]["view"].ravel().tolist()


def test_messages_are_collected(games):
    replay = games["Werewolf"]
    world, data = replay.world, embedded(page(replay))
    heard, before = [], 0
    for moment in replay.play():
        said = int(moment.record.said)  # of this talk; the next one begins with none
        spoken = world.messages(moment.record)
        heard += [[moment.step, *message] for message in spoken[before if said >= before else 0 :]]
        before = said
    assert heard and data["messages"] == heard
    assert embedded(page(games["TicTacToe"]))["messages"] == []


def test_heard():
    """What is new goes on from what was there, as far as that is still heard."""
    one, two, three = (0, "agrees"), (1, "agrees"), (0, "objects")
    assert heard([], []) == [] and heard([one], []) == [] and heard([], [one, two]) == [one, two]
    assert heard([one], [one, two, three]) == [two, three]  # a talk goes on
    assert heard([one, two], [two, three]) == [three]  # the oldest message is forgotten
    assert heard([one], [one, one]) == [one]  # the same again
    assert heard([one, two], [one]) == [one]  # a new talk begins with the same words
    assert heard([one, two], [three]) == [three]


@pytest.mark.slow
def test_what_does_not_fit_is_left_out_and_named(games):
    replay = games["Harvest"]
    whole = page(replay)
    smaller = page(replay, limit=len(whole) - 1)
    assert len(smaller) < len(whole) < pages.LIMIT
    data = embedded(smaller)
    assert data["missing"] == ["observations"] and "views" not in data and "texts" in data
    least = embedded(page(replay, limit=0))
    whole = ["pages for players", "agents' own pictures", "texts", "observations"]
    assert least["missing"] == whole and "seats" not in least
    assert least["film"] == data["film"]


def test_the_page_needs_nothing_else(games):
    document = page(games["TicTacToe"])
    assert not re.search(r"https?://|<link|<iframe|<img|\bimport\b|\bfetch\(", document)
    assert re.findall(r"url\((?!data:)", document) == [] and re.findall(r"<script[^>]*src", document) == []
    assert not re.search(r"<!--[A-Z]+-->", document)  # all places are filled
    assert "<b>random" not in document  # names come as data, which the script puts in as text
    assert "innerHTML" not in document
    assert embedded(document)["agents"][0] == ["player_0", "blue", "<b>random</b>"]


def test_notebooks_show_the_page(games):
    replay = games["TicTacToe"]
    shown = replay._repr_html_()
    assert shown == frame(replay)
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]) == page(replay)


def test_a_replay_without_steps_has_a_page(games):
    replay = games["TicTacToe"]
    empty = Replay(replay.world, replay.start, replay.actions[:0], replay.checksums[:1], np.zeros(2), False)
    assert embedded(page(empty))["steps"] == 0


def test_a_picture_that_fails_costs_that_picture(games, monkeypatch):
    replay, scene = games["TicTacToe"], TicTacToe.scene
    monkeypatch.setattr(TicTacToe, "scene", lambda self, s, agent=None: scene(self, s, agent) if s.t != 1 else 1 / 0)
    with pytest.warns(UserWarning, match=r"envsuite/TicTacToe-v0: a picture cannot be drawn: ZeroDivisionError"):
        broken = page(replay)
    texts = [sprite[-1] for sprite in embedded(broken)["film"]["sprites"] if sprite[0] == "t"]
    assert texts.count("no picture: ZeroDivisionError") == 1 and embedded(broken)["steps"] == len(replay)


lists = st.lists(st.lists(st.integers(0, 5) | st.integers(0, 60), max_size=30), max_size=8)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists)
def test_edits_restore_lists(sequence):
    kept = Edits()
    for one in sequence:
        kept.add(one)
    assert restored(kept.edits) == sequence


def test_edits_are_few():
    kept = Edits()
    old = list(range(500))
    new = [*old[:100], *old[103:300], 900, *old[300:]]
    kept.add(old)
    kept.add(new)
    assert kept.edits[1] == [100, 3, 0, 197, 0, 1, 900]
    kept.add(new)
    assert kept.edits[2] == []
