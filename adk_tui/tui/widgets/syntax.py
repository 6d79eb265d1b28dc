"""Code as highlighted lines: Pygments' tokens as looks, which every theme colours its way."""

from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
)
from pygments.util import ClassNotFound

from adk_tui.core.sanitize import clean
from adk_tui.tui.widgets.text_lines import Span

CODE = "line--code"
_CHUNK = 60
_LONG_LINE = 2000

_LOOKS = (
    (Comment, "line--faint"),
    (Keyword, "line--keyword"),
    (String, "line--string"),
    (Number, "line--number"),
    (Name.Function, "line--name"),
    (Name.Class, "line--name"),
    (Name.Tag, "line--keyword"),
    (Name.Attribute, "line--name"),
    (Name.Decorator, "line--number"),
    (Operator.Word, "line--keyword"),
    (Operator, "line--muted"),
    (Error, ""),
)


@lru_cache(256)
def _look(token: Any) -> str:
    for kind, look in _LOOKS:
        if token in kind:
            return look
    return ""


@lru_cache(64)
def _lexer(language: str) -> Lexer | None:
    try:
        # Texts come in chunks: a lexer must not strip what it thinks are margins.
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(256)
def _highlight(text: str, language: str) -> tuple[tuple[Span, ...], ...]:
    lexer = _lexer(language)
    lines: list[list[Span]] = [[]]
    tokens = [(Token.Text, text)] if lexer is None else lexer.get_tokens(text)
    for token, piece in tokens:
        look = f"{CODE} {_look(token)}".rstrip()
        first, *rest = piece.split("\n")
        if first:
            lines[-1].append((first, look))
        for part in rest:
            lines.append([(part, look)] if part else [])
    return tuple(tuple(line) for line in lines)


def code_lines(text: str, language: str = "") -> list[tuple[Span, ...]]:
    """Lines of sanitized, highlighted code; plain where the language is unknown.

    Highlighted in chunks that begin at an unindented line after an empty one,
    and remembered by chunk: while a long listing streams in, only its end is
    looked at again.
    """
    lines = clean(text).split("\n")
    language = language.strip().lower()[:40]
    if not language or max(map(len, lines)) > _LONG_LINE:
        return [((line, CODE),) if line else () for line in lines]
    out: list[tuple[Span, ...]] = []
    start = 0
    while start < len(lines):
        end = start + _CHUNK
        while end < len(lines) and end < start + 5 * _CHUNK and not _fresh(lines, end):
            end += 1
        out += _highlight("\n".join(lines[start:end]), language)[: end - start]
        start = end
    return out


def _fresh(lines: list[str], at: int) -> bool:
    return not lines[at - 1].strip() and bool(lines[at]) and not lines[at][0].isspace()
