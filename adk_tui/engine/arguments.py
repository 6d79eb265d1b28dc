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
| whole message | request, query, question, prompt …      | the message itself; what follows the   |
|               |                                         | colon in "summarize: …"                |
"""

import re
from typing import Any

from adk_tui.core.jsontools import JsonObject
from adk_tui.engine.declarations import Parameter, Tool, stem, stems, words
from adk_tui.engine.lexicon import (
    BLANK,
    BODY,
    CODE,
    CODES,
    COUNTS,
    CURRENCY,
    DATE,
    DATES,
    FLAG_FILLERS,
    FREE,
    ID,
    MONEY,
    NUMBER,
    PREPOSITIONS,
    QUOTED,
    STOP,
)
from adk_tui.engine.phrases import take_phrases, take_remainder
from adk_tui.engine.values import MISSING, Sentence, clean, coerce, is_id, number, open_strings


def _named(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        name = r"[ _-]?".join(re.escape(word) for word in words(p.name))
        value = r"\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s,;]+"
        found = re.search(rf"\b{name}\s*(?:=|:)\s*({value})", s.text, re.IGNORECASE)
        if found and (got := coerce(p, found.group(1))) is not MISSING:
            args[p.name] = got
            s.take(*found.span())


def _enums(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if not p.enum or p.name in args:
            continue
        got: list[Any] = []
        for value in sorted(p.enum, key=lambda v: -len(str(v))):
            if isinstance(value, bool):
                continue
            spelled = r"[ _-]".join(re.escape(w) for w in re.split(r"[ _-]", str(value)))
            found = re.search(rf"(?<!\w){spelled}(?:e?s)?(?!\w)", s.text, re.IGNORECASE)
            if found:
                s.take(*found.span())
                got.append((found.start(), value))
                if p.type != "array":
                    break
        if got:
            ordered = [value for _, value in sorted(got)]
            args[p.name] = ordered if p.type == "array" else ordered[0]


def _quotes(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in open_strings(parameters, args):
        found = QUOTED.search(s.text)
        if not found:
            return
        s.take(*found.span())
        args[p.name] = next(group for group in found.groups() if group)


def _patterns(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    """Dates, codes and ids: strings that look like nothing else."""
    for p in open_strings(parameters, args):
        found: re.Match[str] | None = None
        if p.words & DATES:
            found = DATE.search(s.text)
        elif p.words & CODES:
            found = _code(s.text, p)
        elif is_id(p):
            found = _identifier(s.text, p)
        if found:
            s.take(*found.span())
            args[p.name] = next((g for g in found.groups() if g), found.group(0))


def _code(text: str, p: Parameter) -> re.Match[str] | None:
    length = 3 if "currency" in p.words else 0
    for found in CODE.finditer(text):
        if found.group(1) not in ("I", "A", "OK") and length in (0, len(found.group(1))):
            return found
    spelled = re.search(rf"\b(?:{'|'.join(CODES)})\s+([a-z]{{1,5}})\b", text, re.IGNORECASE)
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
    return ID.search(text)


def _fits(p: Parameter, value: float) -> bool:
    return p.type == "number" or value == int(value)


def _numbers(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    wanted = [
        p
        for p in parameters
        if p.type in ("integer", "number") and not p.enum and p.name not in args
    ]
    if not wanted:
        return

    def give(p: Parameter, found: re.Match[str]) -> None:
        unit = CURRENCY.match(s.text, found.end()) if p.words & MONEY else None
        value = number(found.group(0))
        s.take(found.start(), unit.end() if unit else found.end())
        args[p.name] = int(value) if p.type == "integer" else value
        wanted.remove(p)

    def near(p: Parameter, found: re.Match[str]) -> bool:
        before, after = s.around(*found.span())
        return bool(p.stems & {stem(word) for word in (*before[-2:], *after[:1])})

    def money(p: Parameter, found: re.Match[str]) -> bool:
        sign = re.search(r"[$€£¥]", found.group(0)) or CURRENCY.match(s.text, found.end())
        return bool(p.words & MONEY) and bool(sign)

    for fits in (near, money):
        for p in tuple(wanted):
            for found in NUMBER.finditer(s.text):
                if _fits(p, number(found.group(0))) and fits(p, found):
                    give(p, found)
                    break
    for p in tuple(wanted):
        if p.required or p.words & COUNTS:
            for found in NUMBER.finditer(s.text):
                if _fits(p, number(found.group(0))):
                    give(p, found)
                    break


def _flags(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if p.type != "boolean" or p.name in args:
            continue
        telling = {stem(word) for word in p.words - FLAG_FILLERS}
        for found in re.finditer(r"\w+", s.text):
            if stem(found.group(0)) in telling:
                before, _ = s.around(*found.span())
                denied = {w.lower() for w in before[-2:]} & {"no", "not", "without", "never"}
                args[p.name] = not denied
                s.take(*found.span())
                break


def _lists(s: Sentence, parameters: tuple[Parameter, ...], args: dict[str, Any]) -> None:
    for p in parameters:
        if p.type != "array" or p.enum or p.name in args:
            continue
        if p.item in ("integer", "number"):
            found = [m for m in NUMBER.finditer(s.text) if _fits_item(p, m.group(0))]
            values: list[Any] = [number(m.group(0)) for m in found]
        elif p.words & CODES:
            found = [m for m in CODE.finditer(s.text) if m.group(1) not in ("I", "A", "OK")]
            values = [m.group(1) for m in found]
        elif QUOTED.search(s.text):
            found = list(QUOTED.finditer(s.text))
            values = [next(g for g in m.groups() if g) for m in found]
        else:
            name = "|".join(re.escape(word) for word in words(p.name))
            cue = rf"\b(?:{name})\b[:\s]+" + ("|:|\\b(?:of|for|with|to)\\s+" if p.required else "")
            start = re.search(cue, s.text, re.IGNORECASE)
            tail = re.split(rf"[;?!{BLANK}]|\.(?:\s|$)", s.text[start.end() :])[0] if start else ""
            items = (clean(part) for part in re.split(r",|\band\b|&", tail))
            values = [item for item in items if item]
            if start and values:
                s.take(start.start(), start.end() + len(tail))
            found = []
        if values:
            args[p.name] = values
            for m in found:
                s.take(*m.span())


def _fits_item(p: Parameter, text: str) -> bool:
    value = number(text)
    return p.item == "number" or value == int(value)


def extract(tool: Tool, text: str, *, ignore: frozenset[str] = frozenset[str]()) -> dict[str, Any]:
    """The arguments of ``tool`` that ``text`` has values for; see the table above.

    ``ignore`` are stems of words that are no value, as the words of the tool
    itself are none.
    """
    return _extract(tool.parameters, text, stems(tool.name) | ignore)


def _extract(parameters: tuple[Parameter, ...], text: str, named: frozenset[str]) -> dict[str, Any]:
    args: dict[str, Any] = {}
    known = named.union(*(p.stems for p in parameters)) if parameters else named
    s = Sentence(text)
    _named(s, parameters, args)
    for rule in (_enums, _quotes, _patterns, _numbers, _flags, _lists):
        rule(s, parameters, args)
    take_phrases(s, parameters, args, known)
    take_remainder(s, parameters, args, known)
    for p in parameters:
        if p.name in args or not p.required:
            continue
        if p.type == "object" and p.fields:
            inner = _extract(p.fields, text, named)
            if all(f.name in inner for f in p.fields if f.required) and inner:
                args[p.name] = inner
        elif p.type in ("string", "") and p.words & BODY:
            _, colon, body = text.partition(":")
            if colon and body.strip():
                args[p.name] = body.strip()
        elif p.type in ("string", "") and p.words & FREE and text.strip():
            lead, colon, body = text.partition(":")
            told = bool(colon and body.strip() and stems(lead) & named)
            args[p.name] = body.strip() if told else text.strip()
    return {p.name: args[p.name] for p in parameters if p.name in args}


def take_answer(missing: tuple[Parameter, ...], text: str) -> dict[str, Any]:
    """Values for what was asked for, from the message that answers the question.

    One question: the message is the value, if it fits the type. Several: by
    the rules of ``extract``, else a comma-separated list in the order asked.
    """
    if len(missing) == 1:
        p = missing[0]
        lead = "|".join((*PREPOSITIONS, "it'?s", "it is", "that'?s", "i mean"))
        name = r"[ _-]?".join(re.escape(word) for word in words(p.name))
        filler = rf"^(?:(?:the\s+)?{name}\s+is\s+|(?:{lead})\s+)*"
        value = coerce(p, clean(re.sub(filler, "", text.strip(), flags=re.IGNORECASE)))
        found = _extract((_as_required(p),), text, frozenset())
        free = p.type in ("string", "") and not p.enum and not p.words & (DATES | CODES)
        if value is not MISSING and (p.name not in found or (free and not is_id(p))):
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


def from_known(
    tool: Tool, args: JsonObject, known: JsonObject, *, optional: bool = False
) -> dict[str, Any]:
    """``args`` completed with values of the same name that were seen in this turn.

    Two code-like names count as the same: a ``ticker`` that one tool returned
    is the ``symbol`` another one wants. With ``optional``, parameters that
    could be left out are filled too.
    """
    full = dict(args)
    for p in tool.parameters if optional else tool.required:
        if p.name in full:
            continue
        if p.name in known:
            full[p.name] = known[p.name]
        elif p.words & CODES:
            code = next((v for k, v in known.items() if set(k.lower().split("_")) & CODES), None)
            if isinstance(code, str) and code:
                full[p.name] = code
    return full
