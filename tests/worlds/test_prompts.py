"""Pages for players and questions are short. Tests count characters, which need no tokenizer: see `docs/prompts.md`."""

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.testing.prompts import prompts_of

#: Characters of a token in pages and in questions: about the median over all worlds.
PAGE, QUESTION = 3.9, 3.0

#: Worlds with longer questions, the most tokens of these, and why.
LONGER = {
    "Ingenious": (1_500, "pairs of neighboring cells are no product"),
    "Wordle": (820, "four hundred words"),
}


def length(id):
    """The tokens of the longest page of a world, without maps, about."""
    world, sizes = registry.build(id), []
    batch = Batch(world, 1)
    batch.start(1)
    for a in range(len(world.agents)):
        slots, data = world.slots_of(batch.record(), a), world.page_of(batch.record(), a).data
        sizes.append(len(world.prompt(batch.record(), a)) - sum(len(slots[name]) for name in data))
    return max(sizes) / PAGE


@pytest.mark.slow
def test_most_pages_are_short():
    found = [length(id) for id in registry.ids()]
    assert np.median(found) <= 300 and np.quantile(found, 0.9) <= 600 and max(found) <= 900


@pytest.mark.mostly_slow
@pytest.mark.parametrize("id", registry.ids())
def test_questions_are_short(id):
    most, _ = LONGER.get(registry.short_name(id), (800, ""))
    for one in prompts_of(registry.build(id), 20):
        assert max(map(len, one.questions), default=0) <= QUESTION * most, max(one.questions, key=len)


def test_prompts_of_each_role():
    """A wolf and a villager of Werewolf have different pages; each has a question for each of its turns."""
    found = prompts_of(registry.build("Werewolf"), 6)
    assert len({one.page for one in found}) == len(found) > 1
    for one in found:
        assert one.page.startswith("You") and one.first.startswith("Turn 1.") and len(one.questions) <= 6
        assert one.middle == one.questions[len(one.questions) // 2]
