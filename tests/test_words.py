"""Words beside an episode are clean: on one line, without characters that hide, turn or pile up."""

import random

import pytest

from envsuite.talk.words import CUT, clean, limited

SAME = [
    "Hello.", "I trust player_2; do you?", "Grüß Gott", "你好，世界", "Привет", "שלום", "مرحبا", "naïve café",
    "100 % of 3",
    "👩‍👩‍👧 family", "नमस्ते", "क्‍ष", "¿Qué?", "a_b *c* `d` <e> &f;", "1 < 2", "{}", "say: nothing", "Action: pass",
    "می‌خواهم", "🏳️‍🌈", "e̊̃", "ﷺ", "Ω", "½ + ¼",
]  # fmt: skip
CLEANED = [
    ("two\nlines", "two lines"), ("tab\tstop", "tab stop"), ("  much   space ", "much space"), ("\r\n", ""), ("", ""),
    ("carriage\rreturn", "carriage return"), ("form\x0cfeed", "form feed"), ("vertical\x0btab", "vertical tab"),
    ("line\u2028separator", "line separator"), ("paragraph\u2029separator", "paragraph separator"),
    ("next\x85line", "next line"), ("no\u00a0break", "no break"), ("ideographic\u3000space", "ideographic space"),
    ("nul\x00l", "null"), ("bell\x07", "bell"), ("back\x08space", "backspace"), ("esc\x1b[31mred", "esc[31mred"),
    ("csi\x9b31m", "csi31m"), ("del\x7fete", "delete"), ("osc\x9d8;;x", "osc8;;x"), ("soft\u00adhyphen", "softhyphen"),
    ("zero\u200bwidth", "zerowidth"), ("left\u200emark", "leftmark"), ("right\u200fmark", "rightmark"),
    ("\u202eturned", "turned"), ("\u202aembedded\u202c", "embedded"), ("\u2066isolated\u2069", "isolated"),
    ("word\u2060joiner", "wordjoiner"), ("\ufeffbom", "bom"), ("\ufff9note\ufffb", "note"),
    ("arabic\u061cmark", "arabicmark"),
    ("mongolian\u180evowel", "mongolianvowel"), ("in\u2063visible", "invisible"), ("dep\u206arecated", "deprecated"),
    ("".join(chr(0xE0000 + ord(sign)) for sign in "hidden") + "shown", "shown"), ("tag\U000e0001s", "tags"),
    ("half \ud800 sign", "half \ufffd sign"), ("\udc00", "\ufffd"), ("pair \ud83d\ude00", "pair 😀"),
    ("Z\u0351\u036b\u0343\u036a\u0302algo", "Z\u0351\u036balgo"), ("e\u0301", "é"), ("a\u200db", "ab"),
    ("a\u200cb", "ab"),
    ("\u200d", ""), ("end\u200d", "end"), ("\u200d\u200d👩", "👩"), ("👩\u200d", "👩"), 
    ("\x1b]0;title\x07", "]0;title"),
    ("a\x00\nb", "a b"), ("\u2028\u2029", ""), ("x \u200b y", "x y"),
]  # fmt: skip


@pytest.mark.parametrize("text", SAME)
def test_what_is_clean_stays(text):
    assert clean(text) == text


@pytest.mark.parametrize(("text", "expected"), CLEANED)
def test_what_hides_or_turns_is_left_out(text, expected):
    assert clean(text) == expected
    assert clean(expected) == expected


def odd_texts(number, seed):
    """Texts of letters, marks, joiners, controls, halves of pairs and tags."""
    rng = random.Random(seed)
    ranges = [(32, 126), (0, 31), (127, 160), (0x300, 0x36F), (0x2000, 0x206F), (0xD800, 0xDFFF), (0x900, 0x97F)]
    ranges += [(0x1F300, 0x1F6FF), (0xE0000, 0xE007F), (0xFE00, 0xFE0F), (0xFFF0, 0xFFFF), (0x4E00, 0x4E20)]
    for _ in range(number):
        yield "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randint(0, 30)))


def clean_texts(number, seed):
    for text in odd_texts(number, seed):
        found = clean(text)
        assert clean(found) == found
        assert found.replace("\u200c", "").replace("\u200d", "").isprintable()
        assert len(found.splitlines()) <= 1
        found.encode("utf-8")


def test_odd_texts_are_cleaned_once_and_for_all():
    clean_texts(2000, 0)


@pytest.mark.long
def test_many_odd_texts_are_cleaned_once_and_for_all():
    clean_texts(100_000, 1)


def test_words_beyond_a_limit_are_cut():
    assert limited("one two three", 3) == "one two three"
    assert limited("one two three", 2) == f"one two {CUT}"
    assert limited("x" * 100, 5) == f"{'x' * 50} {CUT}"
    assert limited("one", 0) == ""
