"""Free strings out of a sentence: what a preposition leads to, and the one phrase that is left."""

import re
from typing import Any

from adk_tui.engine.declarations import Parameter, stem, words
from adk_tui.engine.lexicon import (
    ANY_CUE,
    BODY,
    BOUNDARY,
    CODES,
    CUES,
    DATES,
    FREE,
    REASONS,
    SENTENCE_END,
    STOP,
)
from adk_tui.engine.values import PUNCTUATION, Sentence, clean, is_id, open_strings


def _meaningful(phrase: str, known: frozenset[str]) -> bool:
    """Whether a phrase says more than the tool's own words and fillers do."""
    return any(w.lower() not in STOP and stem(w) not in known for w in words(phrase))


def _phrase_after(
    text: str, prepositions: tuple[str, ...], known: frozenset[str], *, whole: bool
) -> tuple[int, int]:
    for preposition in prepositions:
        for found in re.finditer(rf"\b{preposition}\s+", text, re.IGNORECASE):
            rest = text[found.end() :]
            stop = (SENTENCE_END if whole else BOUNDARY).search(rest)
            end = found.end() + (stop.start() if stop else len(rest))
            if _meaningful(clean(text[found.end() : end]), known):
                return found.end(), end
    return -1, -1


def take_phrases(
    s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any], known: frozenset[str]
) -> None:
    """Strings that a preposition leads to: named cues first, then any for required ones."""

    def take(p: Parameter, cues: tuple[str, ...]) -> None:
        whole = bool(p.words & REASONS) and len(open_strings(parameters, args)) == 1
        start, end = _phrase_after(s.text, cues, known, whole=whole)
        if start >= 0:
            name = r"[ _-]?".join(re.escape(word) for word in words(p.name))
            value = re.sub(rf"^{name}\s+(?=\S)", "", clean(s.take(start, end)), flags=re.I)
            args[p.name] = value

    def plain(p: Parameter) -> bool:
        special = p.words & (CODES | DATES | FREE | BODY)
        return not special and not is_id(p)

    for p in open_strings(parameters, args):
        cues = next((cue for names, cue in CUES if p.words & names), ())
        if cues and plain(p):
            take(p, cues if p.required else cues[:1])
    for p in open_strings(parameters, args):
        if p.required and plain(p):
            take(p, ANY_CUE)


def take_remainder(
    s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any], known: frozenset[str]
) -> None:
    """The one phrase left, for the one required string left."""
    wanted = [
        p
        for p in open_strings(parameters, args)
        if p.required and not (p.words & (CODES | DATES | FREE | BODY)) and not is_id(p)
    ]
    if len(wanted) != 1:
        return
    runs: list[str] = []
    start = True
    chunks = BOUNDARY.split(s.text)
    for chunk in chunks:
        run: list[str] = []
        pieces = chunk.split()
        for place, word in enumerate((*pieces, "")):
            bare = word.strip(PUNCTUATION)
            ends = len(chunks) > 1 and place == len(pieces) - 1
            if bare and bare.lower() not in STOP and stem(bare) not in known:
                # A verb begins a request ("fly to Rome", "buy 3"): it is no value.
                if not (start and (bare[0].islower() or ends)):
                    run.append(bare)
            elif run:
                runs.append(" ".join(run))
                run = []
            start = start and not bare
    capital = [run for run in runs if run[0].isupper()]
    chosen = capital if len(capital) == 1 else runs
    if len(chosen) == 1:
        args[wanted[0].name] = chosen[0]
