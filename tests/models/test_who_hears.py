"""What a question says of who hears an agent, and with which actions."""

import kit
import pytest

from envsuite.models.speaking import floor
from envsuite.talk.table import Talk


def told(batch, agent, mode="beside", spent=0):
    now = floor(batch, agent, Talk(mode), spent)
    return None if now is None else now.told(False)


def test_the_shorter_list_of_actions_is_told():
    batch = kit.started("envsuite/Telecom-v0", say=True)
    batch.step([0, batch.world.action_names[1].index("say")])
    assert "Words go with all actions but these: transfer." in told(batch, 0)
    market = kit.started("envsuite/Marketplace-v0", say=True)
    market.step([1] * 12)
    assert "Words go with all actions but these: wait; stop." in told(market, 0)
    handover = kit.started("envsuite/Handover-v0", mode="dual")
    assert "Words go " in told(handover, 0)


def test_actions_of_a_question_are_not_listed_twice():
    """Words go with Hanabi's hints, and a question has listed these."""
    batch = kit.started("envsuite/Hanabi-v0")
    assert told(batch, 0).endswith("Words go with all actions but those that begin with 'play'.")
    batch.step([batch.world.action_names[0].index("hint player_1 rank 1"), -1])
    assert told(batch, 1).endswith("Words go with no actions but those that begin with 'hint'.")


def test_words_go_with_all_actions_of_a_side_without_tools():
    batch = kit.started("envsuite/Retail-v0", say=True)
    assert "Words go with" not in told(batch, 1) and "You can speak to assistant:" in told(batch, 1)
    assert "your action is say" in told(batch, 1) and told(batch, 0) is None


@pytest.mark.parametrize("power", [0, 1, 2])
def test_those_hear_to_whom_an_action_speaks(power):
    batch = kit.started("envsuite/Diplomacy-v0", map="triangle", press=1)
    others = [name for a, name in enumerate(batch.world.agents) if a != power]
    text = told(batch, power)
    assert f"You can speak to {others[0]} and {others[1]}:" in text
    assert "Only those hear you to whom your action speaks." in text and "but these: say no more." in text


def test_free_talk_tells_what_others_see():
    batch = kit.started("envsuite/RepeatedGame-v0", talk=1, say=True)
    text = told(batch, 0, "free")
    assert "Others hear these words alone." in text and "others see only its effects" in text
    assert told(batch, 0, "free", spent=600) is None
    batch.step([4, 4])
    assert told(batch, 0) is None
