"""American spelling in pages, docstrings, comments and names of the package."""

import re
from functools import cache

import pytest
from kit import ROOT

_IZE = (
    "categor character discret emphas general initial maxim memor minim modern normal optim organ parametr penal "
    "priorit random real recogn regular serial special summar synchron token util visual"
)
_DOUBLED = "cancel channel equal fuel label level model signal total travel tunnel"

#: British spellings.
BRITISH = re.compile(
    "armour|artefact|behaviour|catalogue|centre|centring|colour|defence|favour|flavour|fulfil(?!l)|grey|harbour|honour|"
    "humour|judgement|labour|licence|manoeuvre|mould|neighbour|odour(?!less)|offence|plough|practise|rumour|sceptic|"
    rf"skilful|vapour|(?<!ra)metres?\b|\btyre|analys(?:ed?\b|ing)|(?:{'|'.join(_IZE.split())})is(?:e|ing|ation|er)|"
    rf"(?:{'|'.join(_DOUBLED.split())})l(?:ed|ing)\b",
    re.IGNORECASE,
)

#: What stands in quotes or backticks may be a name that users or the source of a world have given.
QUOTED = re.compile(r"``[^`]*``|`[^`]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|\]\([^)]*\)")

#: Names that stay, and why. Texts of worlds stay too: they are what agents observe.
KEPT = {
    # Public functions and classes.
    "behaviour", "normalised", "specialisation", "PrioritisedReplay", "behaviour_cloning",
    # Policies, fields of records, parts of levels and tasks, as their sources call them.
    "favourite", "catalogue", "memorised", "refuelled",
    "GoToRedBallGrey", "GREY", "GREYED", "GREY_WALL", "grey",
}  # fmt: skip

#: Files with texts that agents observe, or words of a game, over several lines.
TEXTS = {"envsuite/games/wordle/words.py", "envsuite/games/strips_planning/domains.py"}


def wrong(text):
    """The British words of a text, apart from quoted ones and `KEPT`."""
    if not any(map(british, set(re.findall("[A-Za-z]+", text)))):  # most files, soon
        return []
    words = re.findall(r"[A-Za-z_]+", QUOTED.sub(" ", text))
    return [word for word in words if british(word) and word not in KEPT]


@cache
def british(word):
    return BRITISH.search(word) is not None


@pytest.mark.slow
def test_american_spelling():
    sources = [path for folder in ("envsuite", "render") for path in (ROOT / folder).rglob("*.py")]
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), ROOT / "docs" / "pages.py"]
    found = {}
    for path in {*sources, *pages}:
        text = path.read_text("utf-8")
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL) if path.suffix == ".md" else text
        name = path.relative_to(ROOT).as_posix()
        if name not in TEXTS and (words := wrong(text)):
            found[name] = sorted(set(words))
    assert not found


def test_help_texts_of_commands():
    found = [
        (path.name, text)
        for path in (ROOT / "envsuite" / "cli").rglob("*.py")
        for text in re.findall(r"help=\"(.*?)\"", path.read_text("utf-8"))
        if any(british(word) for word in re.findall("[A-Za-z]+", text))
    ]
    assert not found


def test_british_words_are_found():
    text = 'The colour of neighbours, optimised 3 metres from `grey` and "centre"; the behaviours\' way, travelled'
    assert wrong(text) == ["colour", "neighbours", "optimised", "metres", "behaviours", "travelled"]
    assert not wrong("parameters, analyses, realistic, specialist, cancellation, filled, catalog, raised, promised")
