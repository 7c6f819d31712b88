"""SocialGoals' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When, listed
from envsuite.social.social_goals.levels import COUNTS, ISSUES, PURPOSES

#: What the options a, b, c and d of the first issue pay to player_0, by situation: as much as they cost, or nothing.
PAID = (1, -1, 0, 1, 0)

PAGE = Page(
    role=(
        "{purpose}. You have {issues:issue} to settle. An issue has the options a, b, c and d, and each option has a "
        "worth to you, from 0 to 15. There is also a fact about each of you, which may be a secret, and a relation "
        "between you, from -5 to 5."
    ),
    goal=(
        "When it is over, you are paid the sum of seven scores.",
        When("weighing", "In this sum they count {weighing}."),
    ),
    rules=(
        (
            "Your goal pays 10 times the worth to you of the options that are settled, divided by the worth of your "
            "best options of all issues.",
            "Knowledge pays 10 times the share that the other has revealed of its own: the worth of each issue to it, "
            "and the fact about it.",
            "The relationship pays the change of the relation from the start to the end, from -5 to 5.",
            "The secret costs 10 if you have revealed the fact about you and it is a secret.",
            "Social rules cost 5 for each threat, 2 for each complaint, unless the other has just rejected, complained "
            "or threatened, and 2 if you leave when the other has just proposed or asked; 10 in all at most.",
            Case(
                "money",
                {
                    1: "Money pays -5, -2, 2 or 5 if the option a, b, c or d of the {first} is settled.",
                    -1: "Money pays 5, 2, -2 or -5 if the option a, b, c or d of the {first} is settled.",
                },
                "Money pays 0 here.",
            ),
            "Believability pays 10 in any case.",
        ),
        (
            "You take turns; player_0 begins. One proposal at most stands: a new one, of either of you, takes its "
            "place. What is accepted is settled for good. What you reveal is always true, and the other knows it from "
            "then on. Nobody has to answer a question.",
        ),
        (
            "The relation rises by 1 when a proposal is accepted, with thanks, and with the first small talk of each "
            "of you. It falls by 1 with a complaint and by 3 with a threat."
        ),
    ),
    sees=(
        "You know the worth of the options to you, the fact about you, and whether it is a secret. Of the other you "
        "know only what it reveals."
    ),
    acts={
        "propose {ISSUE} {OPTION}": "propose an option of an issue that is not settled",
        ("accept", "reject"): "answer the other's proposal that stands",
        "ask {ISSUE}": "ask what the options of an issue are worth to the other, or for the `fact` about it",
        "reveal {ISSUE}": "tell what the options of an issue are worth to you, or the `fact` about you",
        "thank": "thank the other, if it has just accepted or revealed something",
        ("complain", "threaten", "small talk"): "lower or raise the relation, as told above",
        "leave": "end the talk at once",
        "say": When("says", "take your turn without any of these"),
    },
    ends="It is over when one of you leaves, or after {turns:act} of both of you together.",
    unsaid={"situation": "the page tells the situation that was drawn"},
    constants={
        **dict.fromkeys(("0", "15"), "the least and the largest worth of an option"),
        **dict.fromkeys(("1", "3"), "changes of the relation"),
        **dict.fromkeys(("2", "5", "10"), "the scores of Sotopia"),
        "seven": "scores",
    },
)

#: The scores in their order, as the page calls them.
_SCORES = ("believability", "the relationship", "knowledge", "the secret", "social rules", "money", "your goal")


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    weights, situation = s.params.weights.tolist(), int(s.level.situation)
    counts = [
        f"{name} {'once' if weight == 1 else f'{weight:g} times'}"
        for name, weight in zip(_SCORES, weights, strict=True)
    ]
    return {
        "purpose": PURPOSES[situation],
        "issues": int(COUNTS[situation]),
        "first": next(iter(ISSUES[situation])),
        "money": PAID[situation] if agent == 0 else -PAID[situation],
        "says": world.neutral,
        "weighing": listed(counts) if set(weights) != {1.0} else "",
    }


#: What policies say beside their acts.
PHRASES = {
    "propose {} {}": (
        "For issue {0}, how about option {1}?",
        "I propose {1} for issue {0}.",
        "Could we agree on {1} for issue {0}?",
        "My idea for issue {0} is {1}.",
        "Let us take option {1} for issue {0}.",
    ),
    "accept": ("Agreed.", "Yes, let us do that.", "That is fine with me.", "I accept.", "All right, that is settled."),
    "reject": ("No, not that.", "I cannot agree to that.", "That does not work for me.", "I have to say no.", "No."),
    "ask fact": (
        "Tell me something about yourself.",
        "What is going on in your life?",
        "Is there something that I should know about you?",
        "How are things with you?",
        "May I ask what is on your mind?",
    ),
    "ask {}": (
        "What does issue {0} mean to you?",
        "What would you like for issue {0}?",
        "How much do you care about issue {0}?",
        "Please tell me your view of issue {0}.",
        "Which option do you prefer for issue {0}?",
    ),
    "reveal fact": (
        "I will tell you something about me.",
        "There is something that you should know about me.",
        "Let me be open with you about myself.",
        "Since we are talking, this is how things are with me.",
        "I want you to know this about me.",
    ),
    "reveal {}": (
        "Let me tell you openly what issue {0} is worth to me.",
        "I will be honest about issue {0}.",
        "This is what the options of issue {0} mean to me.",
        "You can know how I see issue {0}.",
        "Here is my side of issue {0}.",
    ),
    "thank": ("Thank you.", "That is kind of you.", "Thanks, I appreciate it.", "Thanks a lot.", "I am grateful."),
    "complain": (
        "I am not happy with how this is going.",
        "That is not fair.",
        "I do not like the way you treat me.",
        "Honestly, this annoys me.",
        "I expected better of you.",
    ),
    "threaten": (
        "You will be sorry if you do not agree.",
        "Do not make me angry.",
        "I can make this hard for you.",
        "This will have consequences for you.",
        "You do not want me as an enemy.",
    ),
    "small talk": (
        "How was your weekend?",
        "Nice weather today, is it not?",
        "Did you see the game last night?",
        "I had a wonderful breakfast this morning.",
        "By the way, have you been on vacation yet?",
    ),
    "leave": ("I have to go.", "I am leaving now.", "Let us stop here.", "Goodbye.", "That is it, I am off."),
}
