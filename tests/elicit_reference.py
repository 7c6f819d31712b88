"""Episodes of Elicit with the rewards of UserRL's TravelGym and IntentionGym, stored for `test_elicit.py`.

    python tests/elicit_reference.py USERRL

USERRL is a clone of SalesforceAIResearch/UserRL at cf55a30. Its environments run as they are, but with exact judgments
in place of their language models, and with the wishes that our user names by itself in place of random ones. Nothing
of them is stored but numbers.
"""

import contextlib
import io
import json
import sys
import types
from pathlib import Path

import kit
import numpy as np

FILE = kit.DATA / "Elicit" / "elicit_reference.json"
ID = "envsuite/Elicit-v0"
ASPECTS = {"flight": "flight", "hotel": "hotel", "car": "rental_car", "restaurant": "restaurant"}

#: The parameters of the episodes, and their number.
JOURNEYS = [
    (dict(task="22", failures=2), 12),
    (dict(task="334", patience=2, steps=15), 8),
    (dict(task="2222", failures=3), 8),
]
INTENTIONS = [(dict(task="intention", topics=6, details=4), 8), (dict(task="intention", details=3, steps=3), 6)]


class Judge:
    """What the reference's language model would say to our moves."""

    def __init__(self, gym):
        self.gym, self.named = gym, None
        gym.generate_judge_search = lambda text, *_: {"alignment_judgement": "True", "alignment_aspect": ASPECTS[text]}
        gym.generate_judge_response = self.response
        gym.model_call = lambda *_: {"response": "yes"}
        gym.random = types.SimpleNamespace(choice=self.choice)

    def response(self, text, task, config, history, available):
        if text == "chat":
            return {"type": "1"}
        ids = [wish["id"] for wish in available if wish["subcategory"] == text]
        return {"type": "2", "preference_id": ids[0]} if ids else {"type": "3"}

    def choice(self, available):
        return next(wish for wish in available if wish["subcategory"] == self.named)


def journey(world, level, params):
    """TravelGym with our level, and its judge."""
    from travelgym import TravelGymConfig
    from travelgym.env import prompts, travel_env

    task = {"dimensions": [ASPECTS[aspect] for aspect in world.words], "all_options": {}, "preferences": {}}
    for a, (aspect, topics) in enumerate(world.words.items()):
        wishes, letter = level["wishes"][a], aspect[0].upper()
        met = [n for n, offer in enumerate(level["offers"][a]) if all(w in (-1, h) for w, h in zip(wishes, offer))]
        best = min(met, key=lambda n: level["prices"][a][n])
        task["all_options"][ASPECTS[aspect]] = [{"id": f"{letter}{n + 1}"} for n in range(len(level["offers"][a]))]
        task["preferences"][ASPECTS[aspect]] = {
            "preferences": [[ASPECTS[aspect], f"{aspect} {t}", "", ""] for t, w in zip(topics, wishes) if w >= 0],
            "best_id": f"{letter}{best + 1}",
            "correct_ids": [f"{letter}{n + 1}" for n in met],
        }
    travel_env.load_tasks = lambda config: [task]
    config = TravelGymConfig(
        max_steps=params.get("steps", 20),
        search_failure_interval=params.get("failures", 5),
        elicitation_interval=params.get("patience", 3),
    )
    env = travel_env.TravelEnv(config)
    env.reset()
    return env, Judge(prompts)


def intention(world, level, params):
    """IntentionGym with our level."""
    from intentiongym import IntentionGymConfig
    from intentiongym.env import intention_env

    topics = [t for t, w in zip(world.words["task"], level["wishes"][0]) if w >= 0]
    importance = [i for i in level["importance"][0] if i]
    task = {"missing_details": [{"description": t, "importance": i} for t, i in zip(topics, importance)]}
    intention_env.load_tasks = lambda: [task]

    def judge(question, task, config, history, remaining):
        asked = question.split(" + ")
        return "yes", [k for k, detail in enumerate(remaining) if detail["description"] in asked], {}

    intention_env.evaluate_question = judge
    env = intention_env.IntentionEnv(IntentionGymConfig(api_key="none", max_steps=params.get("steps", 20)))
    env.reset()
    return env, None


def spoken(name, is_journey):
    """A move in the reference's words."""
    verb, _, rest = name.partition(" ")
    if verb == "finish":
        return "[finish]"
    if not is_journey:
        return rest if verb == "ask" else "hello"
    if verb == "recommend":
        aspect, offer = rest.split()
        return f"[answer]{aspect[0].upper()}{offer}"
    return f"[search]{rest}" if verb == "search" else f"[action]{rest or 'chat'}"


def episode(params, seed):
    """One episode at random in both: moves, and the reference's rewards and end."""
    rng, is_journey = np.random.default_rng(seed), params["task"] != "intention"
    batch = kit.started(ID, seed=seed, **params)
    world = batch.world
    env, judge = (journey if is_journey else intention)(world, world.get_level(batch.record()), params)
    names, moves, rewards = world.action_names[0], [], []
    finish = names.index("finish")
    while True:
        legal = [k for k in np.flatnonzero(batch.masks[0, 0]) if k != finish or rng.random() < 0.05]
        move, before = int(rng.choice(legal)), batch.records["known"][0].copy()
        batch.step(move)
        if judge:
            new = np.argwhere((before == -2) & (batch.records["known"][0] >= 0)).tolist()
            aspects = list(world.words)
            judge.named = next((f"{aspects[a]} {list(world.words[aspects[a]])[k]}" for a, k in new), None)
        with contextlib.redirect_stdout(io.StringIO()):
            _, reward, terminated, truncated, _ = env.step(spoken(names[move], is_journey))
        moves.append(names[move])
        rewards.append(round(reward, 9))
        left = len(env.remaining_preferences if is_journey else env.remaining_missing_details)
        if terminated or truncated:
            done = moves[-1] == "finish" or bool(terminated if is_journey else left == 0)
            return {"params": params, "seed": seed, "moves": moves, "rewards": rewards, "done": done, "left": left}


def main(folder):
    openai = types.ModuleType("openai")
    openai.OpenAI = openai.AsyncOpenAI = None
    sys.modules["openai"] = openai
    sys.path[:0] = [str(Path(folder) / "gyms" / gym) for gym in ("TravelGym", "IntentionGym")]
    found = [episode(params, seed) for params, num in [*JOURNEYS, *INTENTIONS] for seed in range(num)]
    FILE.write_text("".join(f"{json.dumps(one)}\n" for one in found))


if __name__ == "__main__":
    main(sys.argv[1])
