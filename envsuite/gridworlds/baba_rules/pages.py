"""BabaRules' page for players."""

from __future__ import annotations

from envsuite.core.page import Page

PAGE = Page(
    role="You move things in a room in which the rules are words on blocks. Pushing the blocks changes the rules.",
    goal="Winning with action number t pays you 1 - 0.9 x t / {horizon}. Losing pays -1.",
    rules=(
        (
            "The room has a border around it. In it are things (baba, walls, balls, keys and doors, each of a color) "
            "and blocks with words. Border and blocks always stop what moves into them, but blocks are pushed. All "
            "other things lie on top of each other without harm."
        ),
        (
            "Three blocks in a row, from left to right or from top to bottom, are a sentence. A noun, IS and a "
            "property say that all things of this kind have the property. With a color block before the noun, only "
            "those of that color have it, whatever a sentence without a color says. A noun, IS and a noun say that "
            "things of the first kind become the second. Only blocks on top of their cells count. Where four blocks "
            "are a sentence, the last three of them are none."
        ),
        (
            "Things that are you are moved by you. Win and lose end the game when a thing that is you moves onto them. "
            "Nothing can move onto things that are stop. Push things are moved by what moves into them. Pull things "
            "follow what was ahead of them. Move things move by themselves, the way they face. An open and a shut "
            "thing vanish together when one moves toward the other. If a sentence with a color makes things pull or "
            "you, its whole kind also becomes stop once something is about to move onto one of them, until the end of "
            "the turn."
        ),
        (
            "In a turn, each thing that is you turns and moves by one cell, cell by cell, row by row from the top "
            "left; then each thing that is move does. Only what is on top of a cell moves, once per turn. If what is "
            "ahead is pushed, it moves first; a thing that is stopped stays. You win or lose by what the last of your "
            "things moves onto, or by that thing itself if it could not move. Then the sentences are read again, and "
            "things become others."
        ),
    ),
    sees="You see the whole room, and of each cell up to {layers:piece}, from the top.",
    acts={
        ("up", "right", "down", "left"): "move all things that are you",
        "idle": "nothing happens, and nothing moves",
    },
    ends="It is over when you win or lose, or after {horizon:action}.",
    unsaid=dict.fromkeys(("task", "distractors", "winners", "width", "height"), "the room is to be seen"),
    constants={
        "1": "the most that a win pays, and the cost of a loss",
        "0.9": "of the reward for time",
        "three": "blocks of a sentence",
        "four": "blocks of a sentence with a color",
    },
)
