"""A language model plays tic-tac-toe. Prints the prompts, the answers and the game; writes a transcript.

`ask` is any function from text to text. The one below is scripted, so that this runs anywhere; a real one is, say:

    import anthropic
    client = anthropic.Anthropic()

    def ask(prompt):
        messages = [{"role": "user", "content": prompt}]
        return client.messages.create(model=..., max_tokens=1000, messages=messages).content[0].text
"""

import re

from rich import print
from rich.markup import escape
from rich.panel import Panel

import envsuite
from envsuite import LanguageAgent, play_episode, write_transcript


def ask(prompt):
    """A "model" that takes the middle, then corners, then anything; its first answer cannot be used."""
    legal = re.findall("^Your legal actions: (.*)$", prompt, re.MULTILINE)[-1].split("; ")
    if "Your last turns" not in prompt and "You answered" not in prompt:
        return "What a nice board!"  # it gets the error, and is asked again
    best = next((name for name in ("b2", "a1", "c3", "a3", "c1") if name in legal), legal[0])
    return f"The {best} looks strong.\nAction: {best}"


def main(ask=ask, opponent="random", seed=1, path=None):
    """Play a game; the episode, with everything that was asked and answered. The transcript goes to `path`."""
    agent = LanguageAgent(ask, retries=2, calls=100, fallback="random")
    env = envsuite.make_aec("envsuite/TicTacToe-v0", render_mode="ansi")
    episode = play_episode(env, {"player_0": agent, "player_1": opponent}, seed=seed)
    rules, told = episode.transcript[-1].prompt.split("You are player_0.")
    print(Panel(escape(told.strip()), title=f"the last prompt, after {len(rules):,} characters of rules"))
    for one in episode.transcript:
        print(f"step {one.t}, {one.agent}: {escape(repr(one.answer))} -> {one.action or escape(one.problem)}")
    print(env.render())
    print(f"{agent.calls} calls, {agent.characters:,} characters; returns {episode.returns}")
    if path is not None:
        write_transcript(path, episode.transcript)
    return episode


if __name__ == "__main__":
    main(path="transcript.jsonl")
