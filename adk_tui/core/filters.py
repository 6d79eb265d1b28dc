"""The filter language of the event list: an expression becomes a predicate over records.

Terms side by side must all hold; a comma means "or"; a minus means "not"::

    author:stock_agent kind:call,response tool:get_* -author:user "free text" /regex/

Parsing raises nothing but FilterError, which says what is wrong and where, so
that a front end can parse at every key stroke.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from adk_tui.core import sanitize
from adk_tui.core.event_log import EventLog
from adk_tui.core.filter_fields import FIELDS, FLAGS, Predicate, searchable
from adk_tui.core.kinds import KINDS
from adk_tui.core.records import EventRecord


class FilterError(ValueError):
    """An expression that says nothing. ``position`` is the index of the culprit in it."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed expression: call it with a record. An empty one lets everything through.

    ``partials`` says that it asks for pieces of streamed events.
    """

    expression: str
    terms: tuple[Predicate, ...]
    partials: bool = False

    def __call__(self, record: EventRecord) -> bool:
        """Whether the record fits all terms."""
        for term in self.terms:  # noqa: SIM110  (a generator costs more than the terms)
            if not term(record):
                return False
        return True

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to filter by."""
        return not self.terms


@dataclass(frozen=True, slots=True)
class Piece:
    """One alternative as written, ``start`` to ``end`` of the expression.

    ``field`` is empty for a flag or free text; ``quote`` is ``"``, ``/`` or
    empty; ``opens`` says that a new term begins here.
    """

    start: int
    end: int
    field: str
    value: str
    quote: str
    opens: bool
    negative: bool
    value_start: int
    closed: bool = True


def parse(expression: str) -> Filter:
    """The filter an expression stands for. Raises FilterError with message and position."""
    terms: list[Predicate] = []
    group: list[Predicate] = []
    negative = partials = False
    for piece in split(expression):
        if piece.opens:
            _close(terms, group, negative)
            group, negative = [], piece.negative
        group.append(_predicate(piece))
        asks = piece.field in ("", "kind") and piece.value.lower() == "partial"
        partials = partials or (asks and not piece.quote and not negative)
    _close(terms, group, negative)
    return Filter(expression, tuple(terms), partials)


def _close(terms: list[Predicate], group: list[Predicate], negative: bool) -> None:
    if not group:
        return
    options = tuple(group)
    if negative:
        terms.append(lambda r: not any(option(r) for option in options))
    elif len(options) == 1:
        terms.append(options[0])
    else:
        terms.append(lambda r: any(option(r) for option in options))


_FIELD_NAME = re.compile(r"([A-Za-z_]+):")
_BARE = re.compile(r"[^\s,]*")


def split(expression: str) -> list[Piece]:
    """The alternatives of an expression in order. Never raises; a quote may be left open."""
    pieces: list[Piece] = []
    at, end = 0, len(expression)
    opens, negative, field = True, False, ""
    while at < end:
        if expression[at].isspace():
            at += 1
            opens, negative, field = True, False, ""
            continue
        if expression[at] == "," and pieces and not opens:
            at += 1
            if at < end and not expression[at].isspace() and expression[at] != ",":
                continue
            pieces.append(Piece(at, at, field, "", "", False, negative, at))
            continue
        if opens:
            field = ""
            negative = expression[at] == "-" and expression[at + 1 : at + 2].strip() != ""
            at += negative
        start = at
        name = _FIELD_NAME.match(expression, at)
        if name:
            field, at = name[1].lower(), name.end()
        value_start = at
        value, quote, at, closed = _read_value(expression, at)
        pieces.append(Piece(start, at, field, value, quote, opens, negative, value_start, closed))
        opens = False
    return pieces


def _read_value(expression: str, at: int) -> tuple[str, str, int, bool]:
    quote = expression[at : at + 1]
    if quote not in ('"', "/") or not quote:
        bare = _BARE.match(expression, at)
        found = bare[0] if bare else ""
        return found, "", at + len(found), True
    text: list[str] = []
    at += 1
    while at < len(expression):
        char = expression[at]
        if char == "\\" and expression[at + 1 : at + 2] in (quote, "\\" if quote == '"' else quote):
            text.append(expression[at + 1])
            at += 2
            continue
        at += 1
        if char == quote:
            return "".join(text), quote, at, True
        text.append(char)
    return "".join(text), quote, at, False


def _predicate(piece: Piece) -> Predicate:
    if not piece.closed:
        raise FilterError(f"the closing {piece.quote} is missing", piece.value_start)
    if piece.field:
        return _field_predicate(piece)
    if piece.quote == "/":
        return _search(_regex(piece))
    if not piece.value:
        raise FilterError("a word is missing here", piece.start)
    if not piece.quote and piece.value.lower() in FLAGS:
        return FLAGS[piece.value.lower()][1]
    return _contains(piece.value)


def _field_predicate(piece: Piece) -> Predicate:
    if piece.field == "text":
        if piece.quote == "/":
            return _search(_regex(piece))
        if not piece.value:
            raise FilterError("text: needs a word", piece.value_start)
        return _contains(piece.value)
    field = FIELDS.get(piece.field)
    if field is None:
        raise FilterError(
            f"there is no field {piece.field!r}; there are {', '.join((*FIELDS, 'text'))}. "
            "Put text with a colon in double quotes",
            piece.start,
        )
    if not piece.value:
        raise FilterError(f"{field.name}: needs a value", piece.value_start)
    if piece.quote == "/":
        found = _regex(piece).search
        return _any(field.read, lambda value: found(value) is not None)
    wanted = piece.value.lower()
    wild = not piece.quote and ("*" in wanted or "?" in wanted)
    if field.name == "kind" and not wild and wanted not in KINDS:
        raise FilterError(
            f"there is no kind {wanted!r}; there are {', '.join(KINDS)}", piece.value_start
        )
    fits = _glob(wanted) if wild else _plain(wanted, field.match)
    return _any(field.read, lambda value: fits(value.lower()))


_VERDICTS = 1_000


def _any(read: Callable[[EventRecord], Iterable[str]], fits: Callable[[str], bool]) -> Predicate:
    """Whether a value of the record fits. Most values come again: what was found is remembered."""
    verdicts: dict[str, bool] = {"": False}

    def holds(record: EventRecord) -> bool:
        for value in read(record):
            verdict = verdicts.get(value)
            if verdict is None:
                if len(verdicts) >= _VERDICTS:
                    verdicts.clear()
                    verdicts[""] = False
                verdict = verdicts[value] = fits(value)
            if verdict:
                return True
        return False

    return holds


def _plain(wanted: str, match: str) -> Callable[[str], bool]:
    if match == "start":
        return lambda value: value.startswith(wanted)
    if match == "under":
        below = tuple(wanted + mark for mark in (".", "/", ":", "["))
        return lambda value: value == wanted or value.startswith(below)
    return lambda value: value == wanted


def _glob(wanted: str) -> Callable[[str], bool]:
    # Runs of stars would make the matcher try every way to share the text out.
    pattern = "".join(
        ".*" if c == "*" else "." if c == "?" else re.escape(c) for c in re.sub(r"\*+", "*", wanted)
    )
    found = re.compile(pattern, re.DOTALL).fullmatch
    return lambda value: found(value) is not None


def _regex(piece: Piece) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(piece.value, re.IGNORECASE | re.MULTILINE)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise FilterError(f"not a regular expression: {error}", piece.value_start) from error


def _search(pattern: re.Pattern[str]) -> Predicate:
    return lambda r: pattern.search(searchable(r)) is not None


_AS_WRITTEN = re.compile(r"[\w .,:;!?#$%&()*+<=>@|~-]+", re.ASCII)


def _contains(text: str) -> Predicate:
    wanted = text.casefold()
    if not _AS_WRITTEN.fullmatch(wanted):
        return lambda r: wanted in searchable(r).casefold()
    needle = wanted.encode()

    def contains(record: EventRecord) -> bool:
        # JSON writes these characters as they are, so most events are told by
        # their bytes, without being put together first.
        raw = record.raw
        if needle not in raw.lower() and b"\\u00" not in raw:
            return False
        return wanted in searchable(record).casefold()

    return contains


def complete(expression: str, cursor: int, log: EventLog) -> list[str]:
    """What could stand where the cursor is: texts for ``insert``, the likeliest first.

    Values come from the log, of which only the newest events are looked at.
    Never raises.
    """
    piece = _under(expression, cursor)
    typed = piece.value.lower()
    if piece.field:
        lead = expression[piece.start : piece.value_start]
        values = _values(piece.field, log)
        return [lead + quoted(v) for v in values if v.lower().startswith(typed)][:_CHOICES]
    words = [*FLAGS, *(f"{name}:" for name in (*FIELDS, "text"))]
    found = [word for word in words if word.startswith(typed) and word != typed]
    if typed:
        authors = _values("author", log)
        found += [f"author:{quoted(a)}" for a in authors if a.lower().startswith(typed)]
    return found[:_CHOICES]


def insert(expression: str, cursor: int, choice: str) -> tuple[str, int]:
    """The expression with a completion put in at the cursor, and where the cursor is then."""
    start = _under(expression, cursor).start
    rest = expression[cursor:]
    cut = next((i for i, c in enumerate(rest) if c.isspace() or c == ","), len(rest))
    return expression[:start] + choice + rest[cut:], start + len(choice)


_CHOICES = 50
_LOOKED_AT = 5_000


def _under(expression: str, cursor: int) -> Piece:
    head = expression[: max(cursor, 0)]
    pieces = split(head)
    last = pieces[-1] if pieces else None
    if last is None or last.end < len(head):
        comma = last is not None and head.endswith(",")
        field = last.field if last is not None and comma else ""
        return Piece(len(head), len(head), field, "", "", not comma, False, len(head))
    if last.opens and head[last.start :] == "-":
        return Piece(len(head), len(head), "", "", "", True, True, len(head))
    return last


def _values(field: str, log: EventLog) -> list[str]:
    match field:
        case "kind":
            found = list(KINDS)
        case "author":
            found = list(log.authors)
        case "inv":
            found = list(reversed(log.invocations[-_CHOICES:]))
        case "id" | "call" | "text":
            found = []
        case _ if field in FIELDS:
            read = FIELDS[field].read
            records = log[max(len(log) - _LOOKED_AT, 0) :]
            found = list(dict.fromkeys(v for r in reversed(records) for v in read(r)))
        case _:
            found = []
    # What a screen could not show as it is cannot be offered.
    return [v for v in found if v and sanitize.line(v, 80) == v]


_NEEDS_QUOTES = re.compile(r'[\s,"*?]|^/')


def quoted(value: str) -> str:
    """A value as an expression takes it: in quotes where it would be read as something else."""
    if not _NEEDS_QUOTES.search(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _help() -> str:
    rows = [
        "Terms side by side must all hold.  a,b: either.  -a: not.  Case does not matter.",
        "",
        *(f"  {field.name + ':':<10}{field.help}" for field in FIELDS.values()),
        f"  {'text:':<10}a word or /regex/ anywhere in it",
        "",
        *(f"  {name:<10}{meaning}" for name, (meaning, _) in FLAGS.items()),
        "",
        "A value may hold * and ?, be in double quotes, or be a /regular expression/.",
        'Any other word, "words in quotes" or /regex/ is searched in texts, arguments and results.',
        "kinds: " + ", ".join(KINDS),
        "",
        "  author:stock_agent kind:call,response tool:get_* -author:user",
    ]
    return "\n".join(rows)


HELP = _help()
"""The language on one screen, as plain text."""
