"""The languages in which models may be asked to think and to speak."""

from __future__ import annotations

import re

from envsuite.core.errors import ParameterError

#: Names of languages by their codes (ISO 639-1).
NAMES = {
    "ar": "Arabic", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "sw": "Swahili", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def named(language: str) -> str:
    """The English name of a language, given as a name or as a code; "" for none."""
    if len(language) == 2:
        if language not in NAMES:
            raise ParameterError(f"language={language!r} is no known code: give the language's English name")
        return NAMES[language]
    if language and not re.fullmatch(r"[^\W\d_][\w '()-]{2,39}", language):
        raise ParameterError(f"language={language!r:.60} must be a code such as 'de', or an English name")
    return language


def asked(language: str, talk: bool) -> str:
    """The sentence that asks for a language."""
    what, labels = ("thoughts and your words to others", '"Say:" and "Action:"') if talk else ("thoughts", '"Action:"')
    return f"Write your {what} in {language}. The names of actions, and {labels}, stay in English."
