"""Record two other games' marks.

    python tests/data/recorders/wordle.py TEXTARENA PAPRIKA > tests/data/Wordle/wordle.json

The arguments are checkouts of github.com/LeonGuertler/TextArena, commit 0ce4609, and github.com/tajwarfahim/paprika,
commit 8470461. Their functions run unchanged; modules that these do not use are left out.
"""

import importlib.util
import json
import sys
import types
from collections import defaultdict
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
from kit import checksum

from envsuite.games.wordle.words import WORDS

SOURCE = (
    "TextArena (github.com/LeonGuertler/TextArena, commit 0ce4609), WordleEnv._evaluate_guess: counted; PAPRIKA "
    "(github.com/tajwarfahim/paprika, commit 8470461), WordleInferenceEngine and WordleModifiedInferenceEngine: "
    "ignored marks. For each length and each guess in order a checksum of all marks (words, letters) int8."
)


#: Modules that are imported, but not used.
UNUSED = (
    "nltk", "nltk.corpus", "textarena", "textarena.envs", "textarena.envs.Wordle", "textarena.envs.Wordle.renderer",
    "textarena.envs.utils", "textarena.envs.utils.word_lists", "llm_exploration", "llm_exploration.inference",
    "llm_exploration.inference.inference_engine",
)  # fmt: skip


def load(path):
    for name in UNUSED:
        sys.modules[name] = MagicMock(Env=object, LLMInferenceEngine=object)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.time = types.SimpleNamespace(sleep=lambda seconds: None)
    return module


def counted(folder):
    game = object.__new__(load(folder / "textarena/envs/Wordle/env.py").WordleEnv)

    def marks(secret, guess):
        game.word_length = len(secret)
        game.state = types.SimpleNamespace(game_state={"word_length": len(secret), "secret_word": secret})
        return ["XYG".index(mark) for mark in game._evaluate_guess(guess)]

    return marks


def ignored(folder):
    inference = folder / "llm_exploration/inference"
    five = load(inference / "wordle_engine.py").WordleInferenceEngine("env")
    others = load(inference / "wordle_modified_engine.py").WordleModifiedInferenceEngine("env")

    def marks(secret, guess):
        engine = five if len(secret) == 5 else others
        talk = [{"role": "system", "content": secret}, {"role": "user", "content": guess}]
        said = engine.generate(talk, 0, 0, 0)
        if said == "Goal reached":
            return [2] * len(secret)
        lines = said.split("\n")
        return [2 if "is correct" in line else int("different position" in line) for line in lines]

    return marks


def main():
    found = defaultdict(dict)
    for name, marks in (("counted", counted(Path(sys.argv[1]))), ("ignored", ignored(Path(sys.argv[2])))):
        for length, words in WORDS.items():
            rows = (np.array([marks(secret, guess) for secret in words], np.int8) for guess in words)
            found[name][length] = "".join(map(checksum, rows))
    json.dump({"source": SOURCE, **found}, sys.stdout)


if __name__ == "__main__":
    main()
