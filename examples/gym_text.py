"""A help desk as a Gymnasium environment with texts as observations and actions. Prints the conversation.

`answer` is any function from text to text. The one below is scripted: it asks one question and gives up. The customer
is a policy of the world.
"""

from envsuite import TextEnv


def answer(observation):
    """A "model" that hands every call over to a person, if it may."""
    legal = observation.rpartition("Your legal actions: ")[2].partition("\n")[0].split("; ")
    return f"Action: {next((name for name in legal if 'transfer' in name), legal[0])}"


def main(answer=answer, id="Telecom", opponents="persona", seed=0):
    """Play an episode; the sum of its rewards."""
    env = TextEnv(id, opponents=opponents)
    observation, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        action = answer(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        total, over = total + reward, terminated or truncated
        print(f"{action} -> {observation.splitlines()[0]} {info['problem'] or ''}")
    print("return", total)
    return total


if __name__ == "__main__":
    main()
