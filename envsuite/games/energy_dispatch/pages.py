"""EnergyDispatch's page for players."""

from __future__ import annotations

from envsuite.core.page import Page, When

PAGE = Page(
    role="You are the operator of a power grid for {days} days. It has thermal, wind and solar power and a battery.",
    goal=(
        "You are paid 1 if you succeed, otherwise 0. You succeed if you get to the end of the last day with a mean "
        "stability above its target and a thermal share below its target."
    ),
    rules=(
        (
            "On each day you know the demand and give a command to each source and to the battery. The commands of "
            "thermal, wind and solar power are at most {most}. A source gives its command times its efficiency on that "
            "day. The battery gives or takes what you command, as far as its charge reaches and its capacity of "
            "{store:g} has room. It is empty at first and loses nothing.",
        ),
        (
            "The supply is the sum of what the sources give, plus what the battery gives or less what it takes. The "
            "demand is violated if the supply is below it. Each unit of a command costs {prices}, for thermal, wind "
            "and solar power, and each unit that the battery gives or takes costs {wear}. The budget of a day is "
            "{budget:g} times its demand. It is violated if the costs are above it.",
        ),
        (
            "The stability of a day is 1, less {half} for a violated demand and {half} for a violated budget, and less "
            "{half} x C / {all:g}, but no more than {half}, where C is the sum of the changes of all commands since "
            "the day before. It is at least 0. The thermal share is all that thermal power has given so far, as a part "
            "of all supply so far.",
        ),
    ),
    sees=(
        "You see the commands of the day before and what they gave, the charge of the battery, the mean stability and "
        "the thermal share so far, and their targets. The efficiencies of a day are hidden; you see them only by what "
        "the sources gave."
    ),
    acts={
        (
            "thermal {T}%, wind {W}%, solar {S}%, hold",
            "thermal {T}%, wind {W}%, solar {S}%, charge",
            "thermal {T}%, wind {W}%, solar {S}%, discharge",
        ): When(
            "named",
            "command T, W and S percent of the demand of this day, and let the battery rest, take {flow:g} or give "
            "{flow:g}. T is {thermal}; W is {wind}; S is {solar}",
        ),
        ("thermal", "wind", "solar"): When("named", "", "the command of this source, from 0 to its maximum"),
        "battery": When(
            "named", "", "what the battery gives, up to {store:g}, or takes if it is negative, down to -{store:g}"
        ),
    },
    ends=(
        "It is over after the last day, or at once after {patience} days in a row on which the demand or the budget "
        "was violated; you have then not succeeded."
    ),
    constants={"1": "success, and the largest stability", "0": "failure, and the least stability and command"},
)
