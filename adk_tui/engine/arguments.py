"""Arguments for a declared tool, taken from a plain sentence by fixed rules.

Every value comes from the user's own words or is left out; a required
parameter without a value is the caller's to ask for. What has been used is
blanked, so that no word serves two parameters. The rules are applied in this
order:

| rule          | parameter                               | taken from the sentence                |
|---------------|-----------------------------------------|----------------------------------------|
| named         | any                                     | ``city=Paris``, ``city: "New York"``   |
| enum          | with fixed values                       | the value as a whole word              |
| quoted        | string                                  | ``"text in quotes"``                   |
| date          | date, day, when …                       | ``2026-05-01``, ``12 May``, tomorrow   |
| code          | symbol, ticker, currency, code …        | words in CAPITALS: ``GOOG``            |
| id            | id, order_id, order_number …            | ``#17``, ``A-17``, ``order 17``        |
| number        | integer, number                         | ``3 nights``, ``$200``, two            |
| flag          | boolean                                 | its name in the text; "no/without" it  |
| list          | array                                   | ``a, b and c`` of any of these         |
| preposition   | string                                  | from, to, in, for, of … as its name    |
|               |                                         | suggests (origin: from; purpose: for)  |
| remainder     | required string                         | the one phrase that nothing else used  |
| whole message | request, query, question, prompt …      | the message itself                     |
"""

import json
import re
from typing import Any, cast

from adk_tui.core.jsontools import JsonObject
from adk_tui.engine.declarations import Parameter, Tool, stem, stems, words

BLANK = "\x00"

_FILLERS = """
    a an the my your our his her their its this that these those some any me i we you he she it
    they us them him who what which when where why how is are was were be been am do does did
    can could would should will shall may might must have has had please kindly just now also
    too so want need like give get show tell find check look let make see know help hi hello
    hey thanks thank yes no not and or but if then of in on at for to from with by about as
    into than there here up out current currently much many new one's ok okay add set take
    again today's
"""
STOP = frozenset(_FILLERS.split())
"""Words that say nothing about what is wanted."""

_PREPOSITIONS = (
    "because of", "from", "to", "into", "in", "for", "of", "about", "on", "with", "at", "by",
    "near", "called", "named", "as", "via", "until", "since",
)  # fmt: skip
_ARTICLES = r"(?:the|a|an|my|our|your|some|this|that)\s+"

_REASONS = frozenset({"purpose", "reason", "cause", "why", "occasion"})

# Which prepositions lead to a parameter, by a word of its name. The first row that fits wins.
_CUES: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset({"origin", "from", "source", "start", "departure", "sender"}), ("from",)),
    (
        frozenset({"destination", "to", "target", "arrival", "recipient", "goal"}),
        ("to", "into", "in"),
    ),
    (
        frozenset({"city", "location", "place", "country", "town", "region", "area"}),
        ("in", "for", "at", "near", "of", "to"),
    ),
    (_REASONS, ("because of", "for", "about")),
    (
        frozenset({"company", "name", "title", "subject", "topic", "item", "product", "drink"}),
        ("called", "named", "of", "for", "about"),
    ),
)
_ANY_CUE = ("of", "for", "in", "about", "called", "named", "on", "with", "at", "to", "from", "by")

_CODES = frozenset({"symbol", "symbols", "ticker", "tickers", "currency", "iata", "code", "codes"})
_DATES = frozenset({"date", "dates", "day", "when", "time", "deadline", "until", "since"})
_COUNTS = frozenset({"quantity", "count", "qty", "number", "pieces"})
_MONEY = frozenset({"amount", "price", "cost", "total", "budget", "sum", "value"})
_FREE = frozenset({"request", "query", "question", "prompt", "input"})
_BODY = frozenset({"text", "message", "content", "body", "document", "note", "comment"})
_FLAG_FILLERS = frozenset({"is", "has", "with", "include", "includes", "use", "should", "enable"})
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: value for value, word in enumerate(_COUNTED.split())}
_NUMBER = re.compile(
    r"(?<![\w.,#-])-?(?:[$€£¥]\s?)?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w-]*[A-Za-z])"
    r"|\b(?:" + "|".join(_NUMBER_WORDS) + r")\b",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"\s*(?:euros?|dollars?|pounds?|eur|usd|gbp|bucks)\b", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?\b"
    rf"|\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
    r"|\b(?:day after tomorrow|today|tomorrow|tonight|yesterday)\b"
    r"|\b(?:next|this)\s+(?:week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<![\w&])\$?([A-Z]{1,5}(?:[.-][A-Z]{1,2})?)(?![\w'])")
_ID = re.compile(r"#(\w[\w-]*)|(?<!\w)((?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]*)")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)")
_SENTENCE_END = re.compile(rf"[,;:?!()\"{BLANK}]|\.(?=\s|$)|\b(?:please|and then)\b", re.IGNORECASE)
_BOUNDARY = re.compile(
    rf"[,;:?!()\"{BLANK}]+|\.(?=\s|$)|\b(?:{'|'.join(_PREPOSITIONS)}|please|and then)\b",
    re.IGNORECASE,
)

MISSING: Any = object()


def _number(text: str) -> int | float:
    low = text.lower()
    if low in _NUMBER_WORDS:
        return _NUMBER_WORDS[low]
    plain = re.sub(r"[^\d.\-]", "", text)
    return float(plain) if "." in plain else int(plain)


def coerce(parameter: Parameter, text: str) -> Any:
    """``text`` as a value of the parameter's type, or ``MISSING`` where it is none."""
    raw = text.strip().strip("\"'`“”").strip()
    if not raw:
        return MISSING
    if parameter.enum and parameter.type != "array":
        low = raw.lower().replace("_", " ")
        return next((v for v in parameter.enum if str(v).lower().replace("_", " ") == low), MISSING)
    match parameter.type:
        case "integer" | "number":
            found = _NUMBER.fullmatch(raw)
            if not found:
                return MISSING
            value = _number(raw)
            if parameter.type == "number":
                return value
            return int(value) if value == int(value) else MISSING
        case "boolean":
            if raw.lower() in ("yes", "true", "on", "y", "sure", "ok"):
                return True
            return False if raw.lower() in ("no", "false", "off", "n", "none") else MISSING
        case "array" | "object":
            try:
                value: object = json.loads(raw)
            except ValueError:
                return MISSING
            right = isinstance(value, list if parameter.type == "array" else dict)
            return cast(Any, value) if right else MISSING
        case _:
            return raw


class _Sentence:
    """A text of which parts have been used. Blanked parts are boundaries for what follows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, start: int, end: int) -> str:
        taken = self.text[start:end]
        self.text = self.text[:start] + BLANK * (end - start) + self.text[end:]
        return taken

    def around(self, start: int, end: int) -> tuple[list[str], list[str]]:
        """Up to three words before, and two after, a span."""
        before = re.findall(r"[\w$€£]+", self.text[:start].replace(BLANK, " "))[-3:]
        return before, re.findall(r"[\w$€£]+", self.text[end:].split(BLANK)[0])[:2]


def _named(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        name = r"[ _-]?".join(re.escape(word) for word in words(p.name))
        value = r"\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s,;]+"
        found = re.search(rf"\b{name}\s*(?:=|:)\s*({value})", s.text, re.IGNORECASE)
        if found and (got := coerce(p, found.group(1))) is not MISSING:
            args[p.name] = got
            s.take(*found.span())


def _enums(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if not p.enum or p.name in args:
            continue
        got: list[Any] = []
        for value in sorted(p.enum, key=lambda v: -len(str(v))):
            if isinstance(value, bool):
                continue
            spelled = r"[ _-]".join(re.escape(w) for w in re.split(r"[ _-]", str(value)))
            found = re.search(rf"(?<!\w){spelled}(?!\w)", s.text, re.IGNORECASE)
            if found:
                s.take(*found.span())
                got.append((found.start(), value))
                if p.type != "array":
                    break
        if got:
            ordered = [value for _, value in sorted(got)]
            args[p.name] = ordered if p.type == "array" else ordered[0]


def _strings(parameters: tuple[Parameter, ...], args: dict[str, Any]) -> list[Parameter]:
    left = [p for p in parameters if p.type in ("string", "") and not p.enum and p.name not in args]
    return sorted(left, key=lambda p: not p.required)


def _quotes(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in _strings(parameters, args):
        found = _QUOTED.search(s.text)
        if not found:
            return
        s.take(*found.span())
        args[p.name] = next(group for group in found.groups() if group)


def _patterns(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    """Dates, codes and ids: strings that look like nothing else."""
    for p in _strings(parameters, args):
        found: re.Match[str] | None = None
        if p.words & _DATES:
            found = _DATE.search(s.text)
        elif p.words & _CODES:
            found = _code(s.text, p)
        elif _is_id(p):
            found = _identifier(s.text, p)
        if found:
            s.take(*found.span())
            args[p.name] = next((g for g in found.groups() if g), found.group(0))


def _is_id(p: Parameter) -> bool:
    ordered = [word.lower() for word in words(p.name)]
    return bool(ordered) and ordered[-1] in ("id", "number", "no", "reference")


def _code(text: str, p: Parameter) -> re.Match[str] | None:
    length = 3 if "currency" in p.words else 0
    for found in _CODE.finditer(text):
        if found.group(1) not in ("I", "A", "OK") and length in (0, len(found.group(1))):
            return found
    spelled = re.search(rf"\b(?:{'|'.join(_CODES)})\s+([a-z]{{1,5}})\b", text, re.IGNORECASE)
    return spelled if spelled and spelled.group(1).lower() not in STOP else None


def _identifier(text: str, p: Parameter) -> re.Match[str] | None:
    base = [w for w in words(p.name) if w.lower() not in ("id", "number", "no", "reference")]
    if base:
        near = re.search(
            rf"\b{re.escape(base[-1])}\s*(?:id|number|no\.?)?\s*[:#]?\s*([\w-]*\d[\w-]*)",
            text,
            re.IGNORECASE,
        )
        if near:
            return near
    return _ID.search(text)


def _fits(p: Parameter, value: float) -> bool:
    return p.type == "number" or value == int(value)


def _numbers(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    wanted = [
        p
        for p in parameters
        if p.type in ("integer", "number") and not p.enum and p.name not in args
    ]
    if not wanted:
        return

    def give(p: Parameter, found: re.Match[str]) -> None:
        unit = _CURRENCY.match(s.text, found.end()) if p.words & _MONEY else None
        value = _number(found.group(0))
        s.take(found.start(), unit.end() if unit else found.end())
        args[p.name] = int(value) if p.type == "integer" else value
        wanted.remove(p)

    def near(p: Parameter, found: re.Match[str]) -> bool:
        before, after = s.around(*found.span())
        return bool(p.stems & {stem(word) for word in (*before[-2:], *after[:1])})

    def money(p: Parameter, found: re.Match[str]) -> bool:
        sign = re.search(r"[$€£¥]", found.group(0)) or _CURRENCY.match(s.text, found.end())
        return bool(p.words & _MONEY) and bool(sign)

    for fits in (near, money):
        for p in tuple(wanted):
            for found in _NUMBER.finditer(s.text):
                if _fits(p, _number(found.group(0))) and fits(p, found):
                    give(p, found)
                    break
    for p in tuple(wanted):
        if p.required or p.words & _COUNTS:
            for found in _NUMBER.finditer(s.text):
                if _fits(p, _number(found.group(0))):
                    give(p, found)
                    break


def _flags(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if p.type != "boolean" or p.name in args:
            continue
        telling = {stem(word) for word in p.words - _FLAG_FILLERS}
        for found in re.finditer(r"\w+", s.text):
            if stem(found.group(0)) in telling:
                before, _ = s.around(*found.span())
                denied = {w.lower() for w in before[-2:]} & {"no", "not", "without", "never"}
                args[p.name] = not denied
                s.take(*found.span())
                break


def _lists(s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if p.type != "array" or p.enum or p.name in args:
            continue
        if p.item in ("integer", "number"):
            found = [m for m in _NUMBER.finditer(s.text) if _fits_item(p, m.group(0))]
            values: list[Any] = [_number(m.group(0)) for m in found]
        elif p.words & _CODES:
            found = [m for m in _CODE.finditer(s.text) if m.group(1) not in ("I", "A", "OK")]
            values = [m.group(1) for m in found]
        elif _QUOTED.search(s.text):
            found = list(_QUOTED.finditer(s.text))
            values = [next(g for g in m.groups() if g) for m in found]
        else:
            name = "|".join(re.escape(word) for word in words(p.name))
            cue = rf"\b(?:{name})\b[:\s]+" + ("|:|\\b(?:of|for|with|to)\\s+" if p.required else "")
            start = re.search(cue, s.text, re.IGNORECASE)
            tail = re.split(rf"[;?!{BLANK}]|\.(?:\s|$)", s.text[start.end() :])[0] if start else ""
            items = (_clean(part) for part in re.split(r",|\band\b|&", tail))
            values = [item for item in items if item]
            if start and values:
                s.take(start.start(), start.end() + len(tail))
            found = []
        if values:
            args[p.name] = values
            for m in found:
                s.take(*m.span())


def _fits_item(p: Parameter, text: str) -> bool:
    value = _number(text)
    return p.item == "number" or value == int(value)


def _clean(phrase: str) -> str:
    """A phrase without articles, fillers and punctuation at its ends."""
    text = phrase.replace(BLANK, " ").strip(" \t\n.,;:!?'\"")
    text = re.sub(rf"^(?:{_ARTICLES})+", "", text + " ", flags=re.IGNORECASE).strip()
    return re.sub(r"\s+(?:please|now|too|and|or)$", "", text, flags=re.IGNORECASE)


def _meaningful(phrase: str, known: frozenset[str]) -> bool:
    """Whether a phrase says more than the tool's own words and fillers do."""
    return any(w.lower() not in STOP and stem(w) not in known for w in words(phrase))


def _after(
    text: str, prepositions: tuple[str, ...], known: frozenset[str], *, whole: bool
) -> tuple[int, int]:
    for preposition in prepositions:
        for found in re.finditer(rf"\b{preposition}\s+", text, re.IGNORECASE):
            rest = text[found.end() :]
            stop = (_SENTENCE_END if whole else _BOUNDARY).search(rest)
            end = found.end() + (stop.start() if stop else len(rest))
            if _meaningful(_clean(text[found.end() : end]), known):
                return found.end(), end
    return -1, -1


def _phrases(
    s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any], known: frozenset[str]
) -> None:
    """Strings that a preposition leads to: named cues first, then any for required ones."""

    def take(p: Parameter, cues: tuple[str, ...]) -> None:
        whole = bool(p.words & _REASONS) and len(_strings(parameters, args)) == 1
        start, end = _after(s.text, cues, known, whole=whole)
        if start >= 0:
            args[p.name] = _clean(s.take(start, end))

    def plain(p: Parameter) -> bool:
        special = p.words & (_CODES | _DATES | _FREE | _BODY)
        return not special and not _is_id(p)

    for p in _strings(parameters, args):
        cues = next((cue for names, cue in _CUES if p.words & names), ())
        if cues and plain(p):
            take(p, cues if p.required else cues[:1])
    for p in _strings(parameters, args):
        if p.required and plain(p):
            take(p, _ANY_CUE)


def _remainder(
    s: _Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any], known: frozenset[str]
) -> None:
    """The one phrase left, for the one required string left."""
    wanted = [
        p
        for p in _strings(parameters, args)
        if p.required and not (p.words & (_CODES | _DATES | _FREE | _BODY)) and not _is_id(p)
    ]
    if len(wanted) != 1:
        return
    runs: list[str] = []
    for chunk in _BOUNDARY.split(s.text):
        run: list[str] = []
        for word in (*re.findall(r"[^\s]+", chunk), ""):
            bare = word.strip(".,!?'\"")
            if bare and bare.lower() not in STOP and stem(bare) not in known:
                run.append(bare)
            elif run:
                runs.append(" ".join(run))
                run = []
    capital = [run for run in runs if run[0].isupper()]
    chosen = capital if len(capital) == 1 else runs
    if len(chosen) == 1:
        args[wanted[0].name] = chosen[0]


def extract(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments of ``tool`` that ``text`` has values for; see the table above."""
    return _extract(tool.parameters, text, stems(tool.name))


def _extract(parameters: tuple[Parameter, ...], text: str, named: frozenset[str]) -> dict[str, Any]:
    args: dict[str, Any] = {}
    known = named.union(*(p.stems for p in parameters)) if parameters else named
    s = _Sentence(text)
    _named(s, parameters, args)
    for rule in (_enums, _quotes, _patterns, _numbers, _flags, _lists):
        rule(s, parameters, args)
    _phrases(s, parameters, args, known)
    _remainder(s, parameters, args, known)
    for p in parameters:
        if p.name in args or not p.required:
            continue
        if p.type == "object" and p.fields:
            inner = _extract(p.fields, text, named)
            if all(f.name in inner for f in p.fields if f.required) and inner:
                args[p.name] = inner
        elif p.type in ("string", "") and p.words & _BODY:
            _, colon, body = text.partition(":")
            if colon and body.strip():
                args[p.name] = body.strip()
        elif p.type in ("string", "") and p.words & _FREE and text.strip():
            args[p.name] = text.strip()
    return {p.name: args[p.name] for p in parameters if p.name in args}


def take_answer(missing: tuple[Parameter, ...], text: str) -> dict[str, Any]:
    """Values for what was asked for, from the message that answers the question.

    One question: the message is the value, if it fits the type. Several: by
    the rules of ``extract``, else a comma-separated list in the order asked.
    """
    if len(missing) == 1:
        p = missing[0]
        lead = "|".join((*_PREPOSITIONS, "it'?s", "it is", "that'?s", "i mean"))
        name = r"[ _-]?".join(re.escape(word) for word in words(p.name))
        filler = rf"^(?:(?:the\s+)?{name}\s+is\s+|(?:{lead})\s+)*"
        value = coerce(p, _clean(re.sub(filler, "", text.strip(), flags=re.IGNORECASE)))
        found = _extract((_as_required(p),), text, frozenset())
        free = p.type in ("string", "") and not p.enum and not p.words & (_DATES | _CODES)
        if value is not MISSING and (p.name not in found or (free and not _is_id(p))):
            return {p.name: value}
        return found
    got = _extract(tuple(_as_required(p) for p in missing), text, frozenset())
    pieces = [piece for piece in re.split(r"\s*[,;\n]\s*", text.strip()) if piece]
    if len(got) < len(missing) == len(pieces):
        values = {p.name: coerce(p, piece) for p, piece in zip(missing, pieces, strict=True)}
        if all(value is not MISSING for value in values.values()):
            return values
    return got


def _as_required(p: Parameter) -> Parameter:
    return Parameter(p.name, p.type, True, p.description, p.enum, p.item, p.fields)


def from_known(tool: Tool, args: JsonObject, known: JsonObject) -> dict[str, Any]:
    """``args`` completed with values of the same name (or both a code) seen in this turn."""
    full = dict(args)
    for p in tool.required:
        if p.name in full:
            continue
        if p.name in known:
            full[p.name] = known[p.name]
        elif p.words & _CODES:
            code = next((v for k, v in known.items() if set(k.lower().split("_")) & _CODES), None)
            if isinstance(code, str) and code:
                full[p.name] = code
    return full
