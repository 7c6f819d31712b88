"""Telecom's pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When, listed
from envsuite.dual_control.telecom import terms
from envsuite.dual_control.telecom.view import MANNERS, task
from envsuite.kit.desk import CUSTOMER, SOLO
from envsuite.kit.request_desk import LIMITS, SAYS

#: The rules for the assistant.
POLICY = (
    "Find the customer first, by name and number.",
    "Ask only for bills to be paid that are overdue, one at a time.",
    "Resume a line only when its overdue bill is paid, and never after its contract has ended.",
    f"Add data only where it is used up, exactly the amount that the customer wants and agrees to, and no more than "
    f"{terms.MOST_ADDED / 10:.1f} GB a month in all.",
    "Transfer what only a person can solve: a locked SIM card, an ended contract, or data used up with none to add.",
    "Change only what the problem asks for: suspend nothing, keep roaming on, leave other lines alone.",
)

#: How phones work.
_GUIDE = (
    "There is service if the SIM card is seated and not locked, airplane mode is off, the access point is right and "
    "the line is active.",
    "The phone looks for a network only when something on it makes it: after a line was resumed it must reboot, and "
    "so it must after its access point was reset.",
    "Mobile data needs service, data switched on, some of the month's data left and, abroad, roaming allowed on the "
    "phone and on the line.",
    "Its speed is excellent with 5G allowed, no slow VPN and no data saver.",
    "Picture messages need mobile data on 3G or better, the message center's address, the permissions for SMS and "
    "storage, and Wi-Fi calling off where it takes them.",
)
_REST = (
    "set network mode({MODE})", "reseat SIM", "set APN(default)", "reset APN", "connect VPN", "disconnect VPN",
    "grant({APP}, {PERMISSION})", "reboot", "pay",
)  # fmt: skip
#: What customers call about, by family.
_CALLS = ("no service", "mobile data that fails or is slow", "picture messages that cannot be sent")
_UNSAID = {"split": "which calls are drawn"}

PAGES = {
    "assistant": Page(
        role=When("talks", "You are the assistant of a telecom help desk.", "{task}"),
        goal=(
            "A call that succeeds pays",
            When("talks", "you and the customer 1 point each,", "1 point,"),
            "any other 0. It succeeds if at its end the problem is gone, with a speed of {fast:g} Mbps or more where "
            "mobile data is the problem, and the bill behind it paid; or if only a person can solve it and you "
            "transferred it unsolved.",
        ),
        rules=(
            When(
                "talks",
                "A customer calls because of {problem}, and speaks first. You have the carrier's tools. The phone is "
                "the customer's; you know of it what you are told. In your turn you use up to {budget:tool}, one at a "
                "time; what you say passes the turn.",
            ),
            ("Policy, a breach of which loses the call.", *POLICY),
            _GUIDE,
        ),
        acts={
            "find customer({BY})": "find the customer, once name and number were told",
            ("show customer", "show(line {N})", "show(bill {N})", "show(plan {PLAN})", "list bills",
             "show usage(line {N})"): "read what the carrier knows",
            ("suspend(line {N})", "resume(line {N})", "enable roaming(line {N})", "disable roaming(line {N})"): (
                "change a line"
            ),
            "refuel(line {N}, {AMOUNT} GB)": "add data, at the plan's price",
            "request payment(bill {N})": "ask for a bill to be paid",
            ("instruct: {ACTION}", "ask: {ABOUT}"): When("talks", "have the customer do or tell this"),
            "offer: refuel {AMOUNT} GB": When("talks", "offer data, once you know the price"),
            "inform: {FACT}": When("talks", "tell this"),
            ("check {WHAT}", "list apps", "run speed test"): When("talks", "", "look at the phone"),
            ("toggle {WHAT}", *_REST): When("talks", "", "change the phone, or pay the bill that is asked for"),
            "say": When("says", SAYS),
            ("close", "transfer"): "end the call, or hand it over, which ends it too",
        },
        ends=LIMITS,
        unsaid=_UNSAID,
        constants={
            "1": "the reward", "0": "of a call that fails", "2.0": "most data added a month, the policy's",
            "5": "a network", "3": "a network",
        },
    ),
    "customer": Page(
        role="{task}",
        goal=(
            "When the call has ended, you and the assistant get 1 point each if the problem is gone and the assistant "
            "has kept to its policy, or if only a person can solve it and the call was handed over. Otherwise you get "
            "0."
        ),
        rules=(
            "{manner}",
            "You have the phone, and know nothing of what the carrier sees. Look at it and change it when you are "
            "asked to, and report only what it has shown you. Agree to data only in the amount that you would pay "
            "for. Your name and number need no words: it is enough to say that you give them. Hang up only when the "
            "problem is gone or nobody helps you.",
            "The call starts with your turn. In a turn you use up to {budget:tool} of the phone, one at a time; what "
            "you say passes the turn to the assistant.",
        ),
        sees="You see of the phone what you look at, and what the assistant says.",
        acts={
            ("check {WHAT}", "list apps", "run speed test"): "look at the phone",
            "toggle {WHAT}": "turn it on or off",
            _REST: "change the phone, or pay the bill that the carrier asks for",
            "report: {ABOUT}": "tell what you know, or saw there; all is all that is new",
            "done": "say that you did it",
            ("consent", "refuse"): "agree to an offer of data, or say no",
            "ask for help": "say that you do not know how",
            "say": When("says", SAYS),
            "hang up": "end the call",
        },
        ends=LIMITS,
        unsaid=_UNSAID,
        constants={"1": "the reward", "0": "of a call that fails"},
    ),
}  # fmt: skip


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    solo, family = s.params.mode == SOLO, world.parameters["family"]
    problems = _CALLS if family == "any" else [_CALLS[s.params.family]]
    return {
        "talks": not solo,
        "says": world.neutral,
        "fast": terms.FAST_ENOUGH / 100,
        "problem": listed(problems, "or"),
        "task": task(s, agent) if solo or agent == CUSTOMER else "",
        "manner": MANNERS[s.persona] if agent == CUSTOMER else "",
    }


#: What policies say in free talk.
PHRASES = {
    "instruct: {}": (
        "Please do this on your phone: {0}.",
        "Could you do this for me now? {0}.",
        "The next step is this: {0}.",
        "I would like you to do one thing: {0}.",
        "Let us try something: {0}.",
    ),
    "ask: problem": (
        "What can I do for you?",
        "What is the problem?",
        "Please tell me what does not work.",
        "How can I help you today?",
        "What seems to be wrong?",
    ),
    "ask: name and number": (
        "What are your name and number, please?",
        "May I have your name and your number?",
        "Who am I talking to, and what is your number?",
        "To find you I need your name and number.",
        "Please give me your name and phone number.",
    ),
    "ask: location": (
        "Where are you right now?",
        "Are you at home or abroad?",
        "Are you calling from another country?",
        "May I ask where you are?",
        "Please tell me where you are.",
    ),
    "ask: amount of data": (
        "How much data would you like to add?",
        "How much more data would you pay for?",
        "What amount of data would you want?",
        "If I add data, how much should it be?",
        "Please tell me how much data you want.",
    ),
    "ask: {}": (
        "What do you see when you do this? {0}.",
        "Please do this and tell me what it shows: {0}.",
        "I need to know what your phone says: {0}.",
        "Could you look for me? {0}.",
        "Please have a look: {0}.",
    ),
    "offer: refuel {} GB": (
        "I can add {0} GB to your line. Shall I?",
        "Would you like {0} GB more? It costs what your plan says.",
        "I can offer you {0} GB more at your plan's price.",
        "Do you want me to add {0} GB?",
        "What about {0} GB of extra data?",
    ),
    "inform: {}": (
        "I can tell you this: {0}.",
        "On my screen I have it now: {0}.",
        "Just so you know: {0}.",
        "Here is how it stands: {0}.",
        "Let me tell you how things are: {0}.",
    ),
    "close": (
        "Thank you for calling, goodbye.",
        "That was all from my side, goodbye.",
        "Have a good day. Goodbye.",
        "Thank you, and goodbye.",
        "I will close the call here. Goodbye.",
    ),
    "report: all": (
        "I will tell you everything I have.",
        "Here is all that I know.",
        "This is everything that I can tell you.",
        "Let me tell you all of it.",
        "Here is all that is new.",
    ),
    "report: problem": (
        "Let me tell you what is wrong.",
        "This is why I am calling.",
        "Here is what does not work.",
        "I can tell you the problem.",
        "The trouble that I have is this.",
    ),
    "report: name and number": (
        "Here are my name and number.",
        "I will give you my name and number.",
        "This is who I am, and my number.",
        "Let me give you my name and my number.",
        "You can find me by my name and number.",
    ),
    "report: location": (
        "I can tell you where I am.",
        "Here is where I am.",
        "Let me say where I am.",
        "This is where I am calling from.",
        "You asked where I am, so here it is.",
    ),
    "report: amount of data": (
        "I can say how much data I would pay for.",
        "Here is how much data I would want.",
        "This is the amount of data that I would pay for.",
        "Let me say how much data it may be.",
        "I know how much data I would add.",
    ),
    "report: {}": (
        "I had a look, and this is what it shows: {0}.",
        "Here is what my phone says: {0}.",
        "I can tell you what I saw: {0}.",
        "This is what I found: {0}.",
        "I looked for you: {0}.",
    ),
    "done": ("Done.", "All right, I did that.", "I have done it.", "That is done now.", "Okay, finished."),
    "consent": ("Yes, please do.", "Yes, go ahead.", "That is fine with me.", "I agree.", "All right, please do that."),
    "refuse": (
        "No, I would rather not.",
        "No, thank you.",
        "I do not want that.",
        "Sorry, but no.",
        "I would prefer not to.",
    ),
    "ask for help": (
        "I do not know how to do that.",
        "How do I do that?",
        "I am not sure how that works.",
        "You have to help me with that one.",
        "I have no idea how to do that.",
    ),
    "hang up": (
        "Thank you, goodbye.",
        "That is all, goodbye.",
        "I have to go. Goodbye.",
        "Thanks for your time. Bye.",
        "I will hang up now. Goodbye.",
    ),
}
