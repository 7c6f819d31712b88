"""Language agents with scripted callables: perfect, babbling, in need of retries, and out of budget."""

import kit
import numpy as np
import pytest
from shapes import every_world

import envsuite
from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, ParameterError
from envsuite.interfaces.gym import Seat
from envsuite.models.agent import LanguageAgent, play_episode, read_transcript, write_transcript
from envsuite.models.protocol import Conversation, Protocol
from envsuite.registry import build
from envsuite.testing.case import random_moves
from envsuite.testing.sights import _digest, _seen

ID = "envsuite/TicTacToe-v0"


def legal_in(prompt):
    """The actions that a prompt names as legal."""
    return kit.legal_in(prompt)


def first_legal(prompt):
    return f"I take the first one.\nAction: {legal_in(prompt)[0]}"


def play(agent, id=ID, others="random", seed=0, form=envsuite.make_aec, **params):
    env = form(id, **params)
    first, *rest = env.possible_agents
    return play_episode(env, {first: agent, **dict.fromkeys(rest, others)}, seed)


def test_perfect():
    """One that knows the way: it reads the maze in the prompt and walks."""

    def solve(prompt):
        told = prompt[prompt.rindex("Turn ") :]
        rows = [line.split() for line in told.splitlines() if line.startswith("  #")]
        cells = {(y, x): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        start, goal = (next(place for place, letter in cells.items() if letter == wanted) for wanted in "@G")
        steps = {"east": (0, 1), "south": (1, 0), "west": (0, -1), "north": (-1, 0)}
        distance, todo = {goal: 0}, [goal]
        for y, x in todo:
            for dy, dx in steps.values():
                if cells[y + dy, x + dx] != "#" and (y + dy, x + dx) not in distance:
                    distance[y + dy, x + dx] = distance[y, x] + 1
                    todo.append((y + dy, x + dx))
        best = min(steps, key=lambda s: distance.get((start[0] + steps[s][0], start[1] + steps[s][1]), 1000))
        return f"Action: {best}"

    for form in (envsuite.make_aec, envsuite.make_parallel):
        episode = play(LanguageAgent(solve), "envsuite/Maze-v0", seed=3, form=form)
        assert episode.returns["agent"] == pytest.approx(1 - 0.9 * episode.length / 225)
        assert len(episode.transcript) == episode.length  # no answer was sent back
        assert [one.t for one in episode.transcript] == list(range(episode.length))


def test_what_it_is_told():
    prompts = []
    agent = LanguageAgent(lambda prompt: prompts.append(prompt) or first_legal(prompt), memory=2)
    episode = play(agent, seed=1)
    env = envsuite.make_aec(ID)
    env.reset(seed=1)
    assert all(prompt.count(env.prompt("player_0")) == 1 for prompt in prompts)  # the rules, once in each
    assert all("You are player_0." in prompt for prompt in prompts)
    assert [prompt.count("Your action: ") for prompt in prompts] == [0, 1, 2, 2, 2][: len(prompts)]
    names = [one.action for one in episode.transcript]
    assert len(prompts) > 3
    assert f"Your action: {names[0]}" in prompts[1] and f"Your action: {names[0]}" not in prompts[3]
    # What comes now is what the environment says.
    assert f"Turn 1.\n{env.text('player_0')}" in prompts[0]
    assert legal_in(prompts[0]) == env.action_names("player_0")
    assert len(legal_in(prompts[1])) == 7
    # Nothing is left of an episode in the next one.
    play(agent, seed=1)
    assert "Your last turns" not in prompts[len(names)]


def differing(world, agent, rows, steps):
    """Two questions to an agent in states with one history for it: its observations, masks and actions at its turns.

    The agent chooses by its history; the others and chance differ from row to row.
    """
    asked, rng = {}, np.random.default_rng(0)
    for _ in range(rows):
        batch, history, moment = kit.started(world), b"", 0
        batch.records["rng"] = rng.integers(2**63)
        talk = Conversation(batch, agent, Protocol())
        while moment < steps and not batch.finished[0]:
            moment += 1
            actions = random_moves(world, batch.masks, rng)
            if batch.acting[0, agent]:
                history = _digest(history + _seen(batch, 0, agent))
                question = talk.ask().messages[-1]["content"]
                talk.done(None, "", None)
                if asked.setdefault(history, question) != question:
                    return asked[history], question
                actions[0, agent] = random_moves(world, batch.masks[0, agent], np.random.default_rng([*history]), agent)
                history = _digest(history + actions[0, agent].tobytes())
            batch.step(actions)
    return None


@pytest.mark.parametrize("id", every_world())
def test_questions_count_nothing_hidden(id):
    """How often others tried or wrote to each other in secret is in no clock of a question."""
    world = build(id)
    if world.information == "imperfect" and world.turns != "simultaneous":
        for agent in {0, len(world.agents) - 1}:
            assert differing(world, agent, 2, 5) is None


@pytest.mark.parametrize("id", ["PhantomTicTacToe", "DarkHex", "Trading"])
def test_questions_do_not_count_hidden_tries(id):
    assert [differing(build(id), agent, 5, 10) for agent in (0, 1)] == [None, None]


def test_a_hidden_try_is_in_no_prompt():
    prompts, questions = [], []
    for moves in (("a1", "a1", "b1"), ("a1", "b1")):  # the first of player_1's two tries is hidden from player_0
        batch = kit.act(kit.started("PhantomTicTacToe"), *moves)
        questions.append(Conversation(batch, 0, Protocol()).ask().messages[-1]["content"])
        LanguageAgent(lambda prompt: prompts.append(prompt) or "?", retries=0).act_in(batch, [0])
    assert questions[0] == questions[1] and prompts[0] == prompts[1]


def test_babbling():
    """It never names one action: every decision takes three questions, and is then made at random."""
    agent = LanguageAgent(lambda prompt: "It depends.\nLet us see.", retries=2)
    episode = play(agent)
    decisions = episode.transcript[3::4]
    assert len(episode.transcript) == 4 * len(decisions) == 4 * agent.calls / 3
    for k, one in enumerate(episode.transcript):
        assert "names no action" in one.problem
        assert (one.answer is None) == (one.action is not None) == (one.prompt == "") == (k % 4 == 3)
    assert play(LanguageAgent(lambda prompt: ""), seed=0).transcript[3::4] != []
    again = play(LanguageAgent(lambda prompt: "It depends.\nLet us see."))
    assert again.transcript == episode.transcript  # at random, but by the seed
    assert len({play(agent, seed=seed).transcript[3].action for seed in range(12)}) > 2


def test_retries():
    """The wrong answer comes back with what is wrong with it."""
    answers = []

    def stubborn(prompt):
        if "That cannot be used" not in prompt:
            answers.append("Action: the moon")
        elif "the moon" in prompt.rpartition("You answered:")[2]:
            answers.append(f"Action: {legal_in(prompt)[0]} and {legal_in(prompt)[1]}")
        else:
            answers.append(f"**Action:** `{legal_in(prompt)[0]}`")
        return answers[-1]

    agent = LanguageAgent(stubborn, retries=2)
    episode = play(agent)
    assert [one.action is None for one in episode.transcript] == [True, True, False] * (len(episode.transcript) // 3)
    first, second, third = episode.transcript[:3]
    assert "names no action" in first.problem and "more than one action" in second.problem and third.problem is None
    assert second.prompt.startswith(first.prompt) and f"That cannot be used: {first.problem}" in second.prompt
    assert f"You answered:\n{first.answer}\n" in second.prompt and first.answer in third.prompt
    assert play(LanguageAgent(stubborn, retries=1)).transcript[2].prompt == ""


def test_illegal_names_are_sent_back():
    def greedy(prompt):
        return "Action: " + ("top left" if "top left" in everything else everything[0])

    everything = build(ID).action_names[0]
    seen = []
    agent = LanguageAgent(lambda prompt: seen.append(prompt) or greedy(prompt), retries=1)
    episode = play(agent)
    assert episode.transcript[0].problem is None
    assert episode.transcript[1].problem.endswith("is not legal now")


@pytest.mark.parametrize("budget", [dict(calls=2), dict(characters=2000)])
def test_budget(budget):
    agent = LanguageAgent(first_legal, memory=0, **budget)
    episode = play(agent)
    asked = [one for one in episode.transcript if one.answer is not None]
    spoken = sum(len(one.prompt) + len(one.answer) for one in asked)
    assert agent.calls == len(asked) and agent.characters == spoken
    left = episode.transcript[len(asked) :]
    (name, most), *_ = budget.items()
    assert left and all(one.problem == f"the budget of {most} {name} is spent" and one.action for one in left)
    if name == "calls":
        assert len(asked) == 2
    else:
        assert spoken < most + 100 and spoken + len(asked[-1].prompt) > most
    before = agent.calls
    play(agent, seed=1)
    assert agent.calls == before  # for its life


def test_fallback_is_any_policy():
    agent = LanguageAgent(first_legal, calls=0, fallback="defector")
    episode = play(agent, "envsuite/RepeatedGame-v0", agent, rounds=3)
    assert [one.action for one in episode.transcript] == ["defect"] * 6


def test_several_agents_and_a_simultaneous_world():
    env = envsuite.make_parallel("envsuite/RepeatedGame-v0", rounds=3)
    nice = LanguageAgent(lambda prompt: "cooperate")
    mean = LanguageAgent(lambda prompt: "I shall not cooperate.\n\ndefect\n")
    for form in (envsuite.make_parallel, envsuite.make_aec):
        env = form("envsuite/RepeatedGame-v0", rounds=3)
        episode = play_episode(env, {"player_0": nice, "player_1": mean}, 0)
        assert episode.returns == {"player_0": 0, "player_1": 15} and episode.length == 3
        assert [(one.t, one.agent) for one in episode.transcript] == [
            (t, agent) for t in range(3) for agent in ("player_0", "player_1")
        ]
    both = play_episode(env, {"player_0": nice, "player_1": nice}, 0)
    assert both.returns == {"player_0": 9, "player_1": 9} and len(both.transcript) == 6


def test_every_kind_of_opponent_slot():
    """It is a Policy, so it can sit wherever one can: here as the opponent of a Gymnasium seat, and in a batch."""
    agent = LanguageAgent(first_legal)
    env = Seat(ID, agent="player_1", opponents=agent)
    env.reset(seed=0)
    assert agent.calls == 1
    batch = kit.started(build(ID), 3)
    actions = agent.act_in(batch, [0, 1], np.array([[True, True], [False, True], [True, False]]))
    assert agent.calls == 3 and actions.tolist() == [[0, 0]] * 3
    with pytest.raises(ParameterError, match="act_in"):
        agent.act(batch.observations[0, 0], batch.masks[0, 0])


def test_state_and_forgetting():
    agent, batch = LanguageAgent(lambda prompt: "?", retries=0), Batch(build(ID), 2)
    batch.start([0, 1])
    agent.reset(5, 2)
    agent.act_in(batch, [0])
    state = agent.get_state()
    expected = agent.act_in(batch, [0]).tolist(), agent.transcript[-2:], agent.get_state()
    other = LanguageAgent(lambda prompt: "?", retries=0)
    for one in (other, agent):
        one.set_state(state)
        assert (one.act_in(batch, [0]).tolist(), one.transcript[-2:], one.get_state()) == expected
    prompts = []
    agent.ask = lambda prompt: prompts.append(prompt) or "1"
    agent.refresh(np.array([False, True]))
    agent.act_in(batch, [0])
    assert ["Your last turns" in prompt for prompt in prompts] == [True, False]


def test_a_transcript_with_half_a_character(tmp_path):
    agent = LanguageAgent(lambda prompt: "so \ud83d Ä\nAction: a1", retries=0)
    transcript = play(agent).transcript
    write_transcript(tmp_path / "game.jsonl", transcript)
    assert read_transcript(tmp_path / "game.jsonl") == transcript and "\ud83d" in transcript[0].answer


def test_who_chose_is_in_the_transcript():
    answers = iter(["Action: a1", "²", "none", None, "Action: b2"])
    agent = LanguageAgent(lambda prompt: next(answers, "?"), retries=1)
    transcript = play(agent, others="random", seed=3).transcript
    told = [one.by for one in transcript]
    assert told[:4] == ["model", None, None, "fallback"] and set(told[4:]) <= {None, "model", "fallback"}
    assert all((one.by is None) == (one.action is None) for one in transcript)


def test_transcripts_as_json_lines(tmp_path):
    agent = LanguageAgent(lambda prompt: "Ändern … \u2028?\nAction: nothing", retries=1)
    transcript = play(agent).transcript
    write_transcript(tmp_path / "game.jsonl", transcript)
    assert len((tmp_path / "game.jsonl").read_text("utf-8").rstrip("\n").split("\n")) == len(transcript)
    assert read_transcript(tmp_path / "game.jsonl") == transcript


@pytest.mark.parametrize(
    "cut", ["\ud83d", "\udfff", "a \ud83d b \udc00", "\\\ud83d", "\\ud83d", "\x00\ud800", "\ud83d" * 9]
)
def test_half_a_character_in_a_transcript(cut, tmp_path):
    """As in an answer that was cut off; nothing else of the transcript is changed."""
    transcript = play(LanguageAgent(lambda prompt: f"Ä {cut}\nAction: nothing", retries=1)).transcript
    assert any(cut in (one.answer or "") for one in transcript)
    write_transcript(tmp_path / "game.jsonl", transcript)
    assert "Ä" in (tmp_path / "game.jsonl").read_text("utf-8")
    assert read_transcript(tmp_path / "game.jsonl") == transcript


@pytest.mark.parametrize(
    "answer, action",
    [
        ("Action: hearts", None),
        ("Action: cooperate", 0),
        ("action :  Defect.", 1),
        ("I could cooperate.\n**Action: defect**", 1),
        ("Action: defect\nNo, wait.\nAction: cooperate\n", 0),
        ("> - Action: `defect`", 1),
        ("I shall defect", 1),
        ("I will not cooperate, since he would.\n\nDefect!", 1),
        ("defect\nThat is all.", 1),
        ("cooperate or defect", None),
        ("1", None),
        ("", None),
        ("Action:", None),
        ("Action: 7", None),
    ],
)
def test_answers(answer, action):
    world = build("envsuite/MatrixGame-v0")
    if action is None:
        with pytest.raises(ActionError):
            kit.read_answer(world, 0, np.ones(2, np.int8), answer)
    else:
        assert kit.read_answer(world, 0, np.ones(2, np.int8), answer) == action


def test_wrong_arguments():
    with pytest.raises(ParameterError, match="calls=-1"):
        LanguageAgent(first_legal, calls=-1)
    with pytest.raises(ParameterError, match="the agents are player_0, player_1"):
        play_episode(envsuite.make_aec(ID), {"player_0": "random"})
    with pytest.raises(ActionError, match="an answer is text, not int"):
        kit.read_answer(build(ID), 0, np.ones(9, np.int8), 3)
    with pytest.raises(ZeroDivisionError):  # what the callable raises is not hidden
        play(LanguageAgent(lambda prompt: 1 / 0))
