"""Go: lockstep with OpenSpiel and with slow rules, superko, areas, perft, levels, baseline."""

import kit
import numpy as np
import pytest
from expansion import perft, spiel_perft

from envsuite.agents import make_policy
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.go import Go
from envsuite.kit.board import pieces
from envsuite.registry import build

ID = "envsuite/Go-v0"

# Move sequences of 1 to 3 plies on 9 x 9, passes included (OpenSpiel 2.0).
PERFT_9 = (82, 6643, 531522)

# Small boards and long games, in which superko occurs.
SMALL = Go(size=5, komi=3.0, max_moves=300)


def test_perft():
    import pyspiel

    assert perft(Go(), 3) == PERFT_9
    assert perft(SMALL, 4) == spiel_perft(pyspiel.load_game("go(board_size=5)"), 4)


def forbidden(state, actions):
    """The legal actions of OpenSpiel that repeat a position: they end the game at once as a draw."""
    found = []
    for action in actions:
        child = state.child(action)
        if action != actions[-1] and child.is_terminal() and child.returns() == [0.0, 0.0]:
            found.append(action)
    return found


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("world", "num", "repeats"),
    [(Go(), 500, 2), (SMALL, 400, 100), (Go(size=19), 20, 0)],
    ids=["9x9", "5x5, long", "19x19"],
)
def test_equals_openspiel(world, num, repeats):
    """Random games: mover, legal actions, rewards, ends and planes at every move.

    In OpenSpiel, a play may repeat a position and then ends the game as a draw. So our legal actions must be its legal
    actions without exactly these plays; at least `repeats` of them must occur. If the masks are equal, only the chosen
    play is verified not to repeat; in some games on 5 x 5, all plays are tried. In these games players pass only if
    they must, which makes fights long.
    """
    import pyspiel
    from open_spiel.python.observation import make_observation

    size, komi = world.parameters["size"], world.parameters["komi"]
    most, small = world.parameters["max_moves"] or 2 * size * size, world is SMALL
    game = pyspiel.load_game("go", {"board_size": size, "komi": komi, "max_game_length": most})
    observation = make_observation(game)
    rng = np.random.default_rng(1)
    batch = kit.started(world, num)
    states = [game.new_initial_state() for _ in range(num)]
    results, found = set(), 0

    def ours(i, state):
        nonlocal found
        actions = state.legal_actions()
        mine = set(np.flatnonzero(batch.masks[i, state.current_player()]).tolist())
        extra = [action for action in actions if action not in mine]
        if state.move_number() < most - 1:  # after the last move, all games are over
            assert forbidden(state, actions if small and i < 20 else [*extra, size * size]) == extra
            found += len(extra)
        return {action: action for action in actions if action in mine}

    def choose(i, state, actions):
        likely = rng.random(len(actions))
        likely[-1] *= 0.01 if small else 1.0
        return actions[likely.argmax()]

    for i, state, action in kit.lock_step(batch, states, rng, choose, ours):
        # OpenSpiel's planes: black, white, empty, all ones if White is to move; from the bottom row.
        observation.set_from(state, 0)
        planes = observation.tensor.reshape(4, size, size)
        for agent in range(2):
            seen = batch.observations[i, agent]
            assert (seen[..., 0] == planes[agent]).all() and (seen[..., 1] == planes[1 - agent]).all()
            assert (seen[..., 4] == (agent == 0)).all()
        if state.is_terminal():
            assert state.move_number() == most or action == size * size
            results.add(batch.rewards[i, 0])
    assert found >= repeats
    assert results >= {1.0, -1.0} and (0.0 in results) == small


class Slow:
    """A slow implementation of the rules: boards as dicts, chains by search, and all past boards kept."""

    def __init__(self, size):
        self.size, self.player, self.passes = size, 0, 0
        self.board = {}
        self.boards = {frozenset()}
        self.captured = [0, 0]

    def near(self, point):
        r, c = point
        places = ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
        return [(y, x) for y, x in places if 0 <= y < self.size and 0 <= x < self.size]

    def region(self, board, start):
        """The points of one color, or empty, that are connected with a point, and the points around them."""
        inside, around, todo = {start}, set(), [start]
        while todo:
            for point in self.near(todo.pop()):
                if board.get(point) != board.get(start):
                    around.add(point)
                elif point not in inside:
                    inside.add(point)
                    todo.append(point)
        return inside, around

    def after(self, point):
        """The board after a play of the player to move, and whether its chain is without liberties."""
        board = {**self.board, point: self.player}
        for near in self.near(point):
            if board.get(near) == 1 - self.player:
                chain, around = self.region(board, near)
                if all(other in board for other in around):
                    board = {key: value for key, value in board.items() if key not in chain}
        return board, all(other in board for other in self.region(board, point)[1])

    def legal(self):
        """The mask of actions, and how many plays superko forbids."""
        mask, repeats = [], 0
        for r in range(self.size):
            for c in range(self.size):
                allowed = False
                if (r, c) not in self.board:
                    board, dead = self.after((r, c))
                    allowed = not dead and frozenset(board.items()) not in self.boards
                    repeats += not dead and not allowed
                mask.append(allowed)
        return [*mask, True], repeats

    def play(self, action):
        if action == self.size**2:
            self.passes += 1
        else:
            self.passes = 0
            board, _ = self.after(divmod(action, self.size))
            self.captured[self.player] += len(self.board) + 1 - len(board)
            self.board = board
            self.boards.add(frozenset(board.items()))
        self.player = 1 - self.player

    def area(self):
        """The owner of each point: 1 Black, 2 White, 0 nobody."""
        area = np.zeros((self.size, self.size), int)
        for point in np.ndindex(self.size, self.size):
            if point in self.board:
                area[point] = self.board[point] + 1
            else:
                owners = {self.board[other] for other in self.region(self.board, point)[1]}
                area[point] = owners.pop() + 1 if len(owners) == 1 else 0
        return area


def as_array(board):
    array = np.zeros((5, 5), int)
    for point, owner in board.items():
        array[point] = owner + 1
    return array


def compare(s, game, action):
    """The record on 5 x 5 after an action of the slow game: board, captures, and what both players see."""
    board = as_array(game.board)
    assert (pieces(s) == board).all() and s.captured.tolist() == game.captured
    last = s.seen[:, :, :, 2].reshape(2, 25)
    assert last.sum() == (0 if action == 25 else 2) and (action == 25 or last[:, action].all())
    assert (s.seen[:, :, :, 3] == (game.passes > 0)).all()
    for agent in range(2):
        assert (s.seen[agent, :, :, 0] == (board == agent + 1)).all()
        assert (s.seen[agent, :, :, 1] == (board == 2 - agent)).all()
    if game.passes == 2 or s.moves == 300:
        assert (np.where(SMALL.area(s) == 3, 0, SMALL.area(s)) == game.area()).all()


@pytest.mark.parametrize(
    "moves",
    [
        "b1 c1 a2 d2 b3 c3 e5 b2 c2 e4 d5 b2 pass pass",  # a ko
        "c2 a2 d1 b2 b1 pass a1 c1 e5 e4 b1 pass pass",  # two stones for one
        "b1 a1 b2 a2 b3 a3 a4 c1 c2 d1 d2 e1 e2 pass pass",  # two chains of three are captured
        "a1 a2 b2 b1 a3 c2 c1 e5 a1 pass pass",  # a play captures two chains
        "a3 a1 b3 a2 c2 b2 b1 pass pass",  # a play captures a chain that it touches twice
        "a1 pass a3 pass b3 pass c1 pass c2 a2 pass b2 pass b1 e5 e4 a1 pass pass",  # three for one, touched twice
    ],
)
def test_games_follow_slow_rules(moves):
    batch, game = kit.opened(SMALL), Slow(5)
    for name in moves.split():
        assert batch.masks[0, game.player].tolist() == game.legal()[0]
        action = SMALL.action_names[0].index(name)
        game.play(action)
        compare(kit.act(batch, action).record(), game, action)
    assert batch.over()[0]


@pytest.mark.slow
def test_equals_slow_rules():
    """Random games on 5 x 5 to the end: legal plays (with kos and superkos), boards, captures, areas."""
    num, komi = 60, 3.0
    rng = np.random.default_rng(5)
    batch = kit.started(SMALL, num)
    games = [Slow(5) for _ in range(num)]
    running = np.ones(num, bool)
    forbidden, results = 0, set()
    while running.any():
        likely = np.zeros((num, 26))
        for i in np.flatnonzero(running):
            mask, repeats = games[i].legal()
            assert batch.masks[i, games[i].player].tolist() == mask
            forbidden += repeats
            likely[i] = rng.random(26) * mask
        likely[:, -1] *= 0.01
        choices = likely.argmax(axis=1)
        batch.step(choices[:, None], running)
        for i in np.flatnonzero(running):
            s, game = batch.record(i), games[i]
            game.play(int(choices[i]))
            compare(s, game, choices[i])
            if game.passes == 2 or s.moves == 300:
                area = game.area()
                lead = (area == 1).sum() - (area == 2).sum() - komi
                assert batch.over()[i] and batch.rewards[i].tolist() == [np.sign(lead), -np.sign(lead)]
                results.add(SMALL.result(s)[0])
        running = ~batch.over()
    assert forbidden > 100 and results == {"B", "W", "d"}


def test_ko():
    """White may not recapture at once, but may after a play elsewhere and its answer, which change the position."""
    batch = kit.opened(SMALL, "b1", "c1", "a2", "d2", "b3", "c3", "e5", "b2", "c2")
    s = batch.record()
    assert s.captured.tolist() == [1, 0] and pieces(s)[1].tolist() == [1, 0, 1, 2, 0]
    assert "b2" not in kit.legal(batch)
    assert "b2" in kit.legal(kit.act(batch, "e4", "d5"))


def test_send_two_return_one():
    """Black loses two stones; capturing one would repeat a position, now with White to move, so it is illegal."""
    batch = kit.opened(SMALL, "c2", "a2", "d1", "b2", "b1", "pass", "a1", "c1")
    assert batch.record().captured.tolist() == [0, 2] and "b1" not in kit.legal(batch)
    assert "b1" in kit.legal(kit.act(batch, "e5", "e4"))
    assert kit.act(batch, "b1").record().captured.tolist() == [1, 2]


def test_suicide_is_illegal():
    """Suicide of one stone and of several stones is illegal, unless the play captures."""
    assert "a1" not in kit.legal(kit.opened(SMALL, "e5", "a2", "e4", "b1"))
    assert "a1" not in kit.legal(kit.opened(SMALL, "b1", "a2", "e5", "b2", "e4", "c1"))
    batch = kit.act(kit.opened(SMALL, "b1", "a2", "a3", "c1", "b2", "e5"), "a1")
    assert batch.record().captured.tolist() == [1, 0] and pieces(batch.record())[1, 0] == 0


@pytest.mark.parametrize(("komi", "result"), [(24.0, "B+1"), (25.0, "draw"), (25.5, "W+0.5")])
def test_komi(komi, result):
    """Black's one stone owns the 25 points of 5 x 5."""
    world = Go(size=5, komi=komi, max_moves=300)
    batch = kit.act(kit.opened(world, "c3", "pass"), "pass")
    assert batch.over()[0] and world.result(batch.record()) == result
    assert batch.record().terminated.tolist() == [1, 1] and batch.record().margin == 25
    assert batch.rewards[0].tolist() == {"B": [1, -1], "d": [0, 0], "W": [-1, 1]}[result[0]]


@pytest.mark.parametrize("most", [1, 4])
def test_the_last_move_is_number_max_moves(most):
    """Passes count as moves, and the area decides: all 25 points are Black's, so a komi of 25.5 decides for White."""
    for komi, rewards in ((0.5, [1, -1]), (25.5, [-1, 1])):
        batch = kit.started(Go(size=5, komi=komi, max_moves=most))
        for move in ("c3", "pass", "c2", "pass")[:most]:
            assert not batch.over()[0] and not batch.rewards.any()
            kit.act(batch, move)
        assert batch.terminations.all() and batch.rewards[0].tolist() == rewards and not batch.masks.any()


def test_random_play():
    """OpenSpiel's 1,000 random games on 9 x 9: Black wins .367, 119.361 +- 1.023 plies; within 4 standard errors."""
    num = 10000
    result, lengths = play(ID, ["random", "random"], num)
    share = 0.367
    assert abs((result[:, 0] == 1).mean() - share) < 4 * (share * (1 - share) * (1 / num + 1 / 1000)) ** 0.5
    assert abs(lengths.mean() - 119.361) < 4 * (lengths.var() / num + 1.023**2) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_beats_random(seat):
    """It wins more than 97 of 100 games from both seats."""
    assert kit.wins(ID, "tactical", seat, 1000) > 0.97


def test_tactical_choices():
    capture = ["c3", "c4", "g7", "b3", "g6", "d3"]
    assert kit.choices("tactical", kit.opened(ID, *capture)) == {"c2"}  # saves c3 at its only liberty
    assert kit.choices("tactical", kit.opened(ID, *capture, "g5")) == {"c2"}  # captures
    eye = kit.opened(ID, "a2", "pass", "b1", "pass", "b2", "pass", "g7", "pass", "g6")
    assert kit.choices("tactical", eye) != {"a1"}  # no suicide


def test_tactical_fills_no_eyes():
    """Black's stones fill the board except its eyes, so it passes; with a false or larger eye, it does not."""
    world = build(ID)
    policy = make_policy("tactical", world)
    policy.reset(0, 1)

    def choice(empty, white=()):
        observation = np.zeros((9, 9, 5), np.int8)
        observation[..., 0] = observation[..., 4] = 1
        for point in [*empty, *white]:
            observation[(*point, 0)] = 0
        for point in white:
            observation[(*point, 1)] = 1
        mask = np.append(observation[..., :2].max(axis=2).reshape(-1) == 0, True).astype(np.int8)
        return world.action_names[0][policy.act(observation, mask, 0)]

    eyes = [(0, 0), (4, 4), (8, 0)]
    assert choice(eyes) == choice(eyes, white=[(3, 3)]) == "pass"
    assert choice(eyes, white=[(3, 3), (5, 5)]) == "e5"
    assert choice(eyes, white=[(1, 1)]) == "a1"
    assert choice([(4, 4), (4, 5), (7, 7)]) in ("e5", "f5")


def test_level_counts_as_moves():
    """A level of 299 moves leaves one move."""
    names, game, rng = [], Slow(5), np.random.default_rng(1)
    while len(names) < 299:
        plays = np.flatnonzero(game.legal()[0][:-1])
        action = int(rng.choice(plays)) if len(plays) else 25
        game.play(action)
        names.append(SMALL.action_names[0][action])
    batch = kit.opened(SMALL, *names)
    assert kit.act(batch, min(kit.legal(batch))).over()[0]


def test_wrong_levels():
    kit.refuses(
        Go(),
        ({"moves": ["i5"]}, "move 0 of the level, 'i5', is not a move of this game"),
        ({"moves": [4]}, "move 0 of the level, 4, is not a move"),
        ({"moves": ["c3", "c3"]}, "move 1 of the level, 'c3', is illegal"),
        ({"moves": ["e5", "a2", "e4", "b1", "a1"]}, "move 4 of the level, 'a1', is illegal"),
        ({"moves": ["c3", "pass", "pass"]}, "is over after 3 moves"),
        ({"moves": ["c3", "pass", "pass", "c4"]}, "is over after 3 moves"),
        ({"moves": None}, "cannot be read"),
    )


def test_the_next_game_has_no_moves_of_a_level():
    batch = kit.opened(SMALL, "b1", "a1", "a2", "pass")
    assert batch.world.get_level(batch.record()) == {"moves": ["b1", "a1", "a2", "pass"]}
    batch.start()
    s = batch.record()
    assert batch.world.get_level(s) == {"moves": []} and (s.player, s.moves, s.passes, s.last) == (0, 0, 0, -1)
    assert s.captured.tolist() == [0, 0] and not s.hash and not s.lost.any() and not s.positions.any()
    assert batch.masks[0, 0].all() and not batch.observations[0, :, :, :, :4].any()


def test_text_scene_and_click():
    batch = kit.opened(SMALL, "c3", "b2")
    s = batch.record()
    lines = SMALL.text(s, 0).splitlines()
    assert lines[0] == "   a b c d e" and lines[3] == " 3 . . X . ." and lines[4] == " 2 . O . . ."
    assert "White has played b2. It is your turn." in lines[6] and "other player's turn" in SMALL.text(s, 1)
    scene = SMALL.scene(s)
    assert SMALL.click(s, 0, 1.5 + 1, 5 - 0.05 - 3) == 3 * 5 + 1
    assert SMALL.click(s, 0, scene.width - 1, scene.height - 0.65) == 25 and SMALL.click(s, 0, 0.3, 6.5) is None
    assert "Black has passed" in SMALL.text(kit.act(batch, "pass").record(), 1)
    kit.act(batch, "pass")
    # One stone each: both reach all empty points, so each player's area is its stone, and White adds komi.
    assert SMALL.result(batch.record()) == "W+3" and "The game is over: W+3." in SMALL.text(batch.record(), 0)
    SMALL.scene(batch.record())


@pytest.mark.parametrize("world", ["Go", "Hex"])
def test_records_whose_players_see_other_stones_are_refused(world):
    """`board` and `seen` of one record belong together."""
    batch, other = (kit.started(world, level={"moves": moves}) for moves in (["c3", "b2"], ["c3", "d4"]))
    held = batch.records.copy()
    for change in (
        lambda r: r["seen"].__setitem__(0, other.records["seen"][0]),
        lambda r: r["board"].__setitem__(0, other.records["board"][0]),
        lambda r: r["seen"][0, 0].__setitem__(Ellipsis, r["seen"][0, 1]),
        lambda r: r["seen"][0, 1, 2, 2].__setitem__(slice(2), 0),
        lambda r: r["seen"][0, 0, 2, 2].__setitem__(slice(2), 1),
        lambda r: r["seen"][0, :, 4, 4].__setitem__((slice(None), slice(2)), 1),
        lambda r: r["seen"][0, ..., :2].__setitem__(Ellipsis, 0),
        lambda r: r["seen"][0, ..., :2].__setitem__(Ellipsis, 1),
    ):
        records = held.copy()
        change(records)
        with pytest.raises(SnapshotError, match="those of one position"), batch.restored(records.tobytes()):
            pass
    with batch.restored(held.tobytes()):
        pass
