"""Two models play through TextArena's interface. Prints what they are asked, their answers and the rewards.

`answer` is any function from text to text; the one below is scripted, so that this runs anywhere. Trainers that take
TextArena's environments take this one too.
"""

import re

from envsuite import TextArena


def answer(observation):
    """A "model" that takes the middle, then corners, then anything."""
    legal = re.findall("^Your legal actions: (.*)$", observation, re.MULTILINE)[-1].split("; ")
    best = next((name for name in ("b2", "a1", "c3", "a3", "c1") if name in legal), legal[0])
    return f"The {best} looks strong.\nAction: {best}"


def main(answers=(answer, answer), id="TicTacToe", seed=0):
    """Play an episode between these functions; the rewards by player."""
    env = TextArena(id)
    env.reset(num_players=len(answers), seed=seed)
    done = False
    while not done:
        player, observation = env.get_observation()
        text = answers[player](observation)
        done, info = env.step(text)
        print(f"player {player}: {text!r} {info['problem'] or ''}")
    rewards, _ = env.close()
    print(rewards)
    return rewards


if __name__ == "__main__":
    main()
