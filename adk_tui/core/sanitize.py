r"""The one place where untrusted text becomes safe to show, and secrets are masked.

Whatever a model, a tool, an agent, a stored session or a file name says may
hold escape sequences, bidirectional overrides, invisible characters or a
thousand accents on one letter. None of it may reach a terminal, and none of it
may vanish either: what is dangerous becomes visible (``␛``, ``\u202e``).

Ordinary text in any script stays as it is: combining marks, joiners inside
Indic and Arabic words, variation selectors and emoji sequences. ``clean`` and
``line`` give text that they themselves would not change again.
"""

import json
import re
import unicodedata
from collections.abc import Callable

from adk_tui.core.masking import MASK, SECRET_KEYS, hides, is_secret, mask, mask_text, restore

__all__ = [
    "MASK",
    "SECRET_KEYS",
    "clean",
    "file_name",
    "hides",
    "is_secret",
    "json_safe",
    "line",
    "mask",
    "mask_text",
    "replaced",
    "restore",
]

MARKS = 6
"""Most combining marks kept in a row. Real scripts stay below; floods paint over other lines."""

LINE = 1000
"""Default length of a single line, in characters."""

_ZERO = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f"
# Unicode 15: Cc but tab and newline; the format characters but the visible Arabic,
# Syriac and Kaithi number signs; the default-ignorable letters and marks;
# surrogates, interlinear annotations and the two noncharacters of the BMP.
_NEVER = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_IDEOGRAPH_SELECTORS = "\U000e0100-\U000e01ef"
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2100-\u21ff\u2300-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
# Scripts whose words need joiners: Arabic to Thaana and N'Ko, the Indic ones,
# Myanmar, Khmer, Mongolian, Balinese, and the Indic ones of the first plane.
_JOINING = (
    "\u0620-\u06ff\u0710-\u08e1\u08e3-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3"
    "\u1820-\u18aa\u1b00-\u1b7f\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdcf\ufdf0-\ufdff"
    "\ufe70-\ufefc\U00011000-\U000114ff"
)
_DOUBTFUL = re.compile(f"[{_NEVER}{_ZERO}{_SELECTORS}{_IDEOGRAPH_SELECTORS}]")
_NOT_ON_A_LINE = re.compile(f"[\t\n{_NEVER}{_ZERO}{_SELECTORS}{_IDEOGRAPH_SELECTORS}]")
_FINE = re.compile(
    # A joiner inside an emoji sequence or inside a word that can need it.
    rf"(?:(?<=[{_EMOJI}{_JOINING}])|(?<=[{_EMOJI}][{_SELECTORS}]))[{_ZERO}](?=[{_EMOJI}{_JOINING}])"
    # A selector directly after one visible character.
    rf"|(?<=[^\s{_NEVER}{_ZERO}{_SELECTORS}{_IDEOGRAPH_SELECTORS}])[{_SELECTORS}]"
    rf"|(?<=[{_IDEOGRAPH}])[{_IDEOGRAPH_SELECTORS}]"
)
# What can hold a flood. Marks are no word characters, so words are passed over.
_MAYBE_FLOOD = re.compile(
    r"[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u303f\U0001f000-\U0001faff]"
    f"{{{MARKS + 1},}}"
)


def clean(text: str) -> str:
    """Text of many lines, safe to show: only ``\\n`` is left of the control characters.

    A tab becomes four spaces and ``\\r\\n`` a newline; everything else that
    could act on a terminal or hide becomes visible. Idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\t" in text:
        text = text.replace("\t", "    ")
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return _safe(text)


def line(text: str, limit: int = LINE) -> str:
    """One line of at most ``limit`` characters, safe to show.

    A line break becomes ``↵`` and a tab a blank; what is cut off shows as
    ``…``. Looks at no more of the text than it can show. Idempotent.
    """
    cut = len(text) > limit
    if cut:
        text = text[: limit + 1]
    if not (text.isascii() and text.isprintable()):
        text = text.replace("\t", " ").replace("\r\n", "\n").strip(" \n")
        text = _safe(_BREAK.sub("↵", text))
    else:
        text = text.strip(" ")
    return shorten(text, limit) if cut or len(text) > limit else text


def shorten(text: str, limit: int) -> str:
    """Safe text cut to ``limit`` characters with ``…`` as the last one; safe again."""
    # A joiner at the end would have lost what it joins.
    return text[: max(limit - 1, 0)].rstrip(_ZERO) + "…"


def json_safe(text: str) -> str:
    """JSON that ``clean`` would leave as it is, but for floods: the same values, escaped as JSON
    escapes them. So it can be shown in an editor, or copied, and read again.
    """
    return text if text.isascii() else _DOUBTFUL.sub(_json_escape, text)


def replaced(text: str, instead: Callable[[str], str]) -> str:
    """Text in which each character that ``clean`` would write out is ``instead`` of it.

    For places that have counted the cells already, such as the lines of an
    editor; of a flood of marks, line breaks and tabs too.
    """
    text = _NOT_ON_A_LINE.sub(
        lambda m: m[0] if _FINE.match(m.string, m.start()) else instead(m[0]), text
    )
    # What was between two short runs of marks may be gone.
    return _MAYBE_FLOOD.sub(lambda match: _thin(match, told=False), text)


_BREAK = re.compile(r"(?<! ) *\n[ \n]*")


def _safe(text: str) -> str:
    if not text.isascii():
        text = _MAYBE_FLOOD.sub(_thin, text)
    return _DOUBTFUL.sub(_show, text)


def _show(match: re.Match[str]) -> str:
    if _FINE.match(match.string, match.start()):
        return match[0]
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    if _FINE.match(match.string, match.start()):
        return match[0]
    return json.dumps(match[0])[1:-1]


def _thin(match: re.Match[str], *, told: bool = True) -> str:
    kept: list[str] = []
    run = 0
    for char in match[0] + "\0":
        if unicodedata.category(char).startswith("M"):
            run += 1
            if run <= MARKS:
                kept.append(char)
            continue
        if run > MARKS and told:
            kept.append(f"{{+{run - MARKS} marks}}")
        run = 0
        kept.append(char)
    return "".join(kept[:-1])


_UNSAFE_IN_NAMES = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def file_name(text: str) -> str:
    """A file name made of untrusted text: letters, digits, ``.``, ``_`` and ``-`` only.

    Never empty, hidden, a path, a device name of Windows, or over 120 bytes of
    UTF-8, so that a suffix can be added.
    """
    name = _UNSAFE_IN_NAMES.sub("_", unicodedata.normalize("NFC", text[:1000])).strip("._-")
    name = name.encode()[:120].decode("utf-8", "ignore").rstrip("._-")
    if not name:
        return "unnamed"
    return f"_{name}" if _RESERVED.match(name) else name
