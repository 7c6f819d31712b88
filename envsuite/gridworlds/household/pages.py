"""Household's page for players."""

from __future__ import annotations

from envsuite.core.page import Case, Page

PAGE = Page(
    role="You do a chore in a home. Each turn lists what must be true in the end.",
    goal=Case(
        "reward",
        {
            "goal": "You are paid 1 when all of this is true.",
            "progress": (
                "In each turn you are paid the change in the number of conditions that are true, divided by how many "
                "there are."
            ),
        },
    ),
    rules=(
        (
            "The home has one room, or two with a doorway between them. A room has {size} x {size} cells, walls "
            "included. You walk on the floor, through the doorway and on beds, where nothing lies. All else that you "
            "do is about the cell ahead. `toggle`, `open`, `close` and `slice` are for its furniture, or else for the "
            "lowest object that allows it."
        ),
        (
            (
                "Each cell has a bottom, a middle and a top layer, with room for one object each, unless furniture "
                "fills the layer. Beds, sofas, countertops, boxes, buckets and sinks fill the bottom layer, tables the "
                "middle one, chairs, cars, shelves and stoves bottom and middle, and ashcans, bins, cabinets and "
                "fridges all three. Objects can be put inside ashcans, bins, cabinets and fridges in all layers, "
                "inside shelves in bottom and middle, and inside boxes, buckets, cars, sinks and stoves in the bottom "
                "layer."
            ),
        ),
        (
            "Cabinets, fridges, cars and stoves can be opened and closed, and so can packages. What was put inside "
            "cannot be reached while its furniture is closed. You can hold one object. If you take an object, those "
            "above it move down by one layer and are then inside nothing."
        ),
        (
            "Rags, brushes, towels, plants and tea bags are soaked where they lie in a cell of a sink that is on, or "
            "of a stove that is on if a teapot is in the top layer. They stay soaked. A broom, rag, brush or towel "
            "wipes the dust off itself and off all in the cell where it lies, and stains too if it is soaked. Food and "
            "oil inside a fridge are frozen."
        ),
        (
            "An object is on top of a thing if it is in the same cell and in a higher layer, or in the highest layer "
            "that the furniture fills. It is beside a thing if their cells share a side. What you hold is neither, and "
            "inside nothing."
        ),
    ),
    sees=(
        "You see the 7 x 7 cells ahead of you, from your own cell in the middle of the nearest row. Walls and closed "
        "furniture hide nothing."
    ),
    acts={
        ("left", "right"): "turn",
        "forward": "walk to the cell ahead, if it is free",
        "toggle": "switch a sink, stove, printer or blender on or off",
        ("open", "close"): "open or close furniture or a package",
        "slice": "slice an apple or lemon; you must hold the knife",
        ("pick up bottom", "pick up middle", "pick up top"): "take the object of this layer, if you hold nothing",
        (
            "drop bottom",
            "drop middle",
            "drop top",
        ): "put what you hold into this layer, if it is free and is the bottom one or has something under it",
        ("drop in"): (
            "put what you hold inside the furniture, if it is not closed; into a layer that is free and is the bottom "
            "one or has an object under it, a random one if there are several"
        ),
    },
    ends="It is over when all is true, or after {steps:turn}.",
    unsaid={"activity": "every turn tells the chore and what must be true"},
    constants={
        "1": "for the goal",
        "two": "rooms at the most",
        "three": "layers",
        "7": "rows and columns of the view",
    },
)
