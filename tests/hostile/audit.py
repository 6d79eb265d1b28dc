"""What a terminal received, taken apart: which sequences, and what else."""

import re
import unicodedata

SEQUENCE = re.compile(
    r"\x1b\[[0-9;:<=>?]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"
)
JOINERS = {"\u200d", "\u200c"}
"""Allowed between letters and emoji by ``sanitize``; a terminal only joins what stands there."""


def kinds(raw: bytes) -> set[str]:
    """The sequences in what was received, colours and cursor positions left out.

    Raises UnicodeDecodeError where it is no UTF-8.
    """
    found: set[str] = set()
    for match in SEQUENCE.finditer(raw.decode("utf-8")):
        text = match[0]
        if re.fullmatch(r"\x1b\[[0-9;:]*m|\x1b\[[0-9;]*H", text):
            continue
        found.add(text)
    return found


def odd_characters(raw: bytes) -> set[str]:
    """Characters outside of sequences that a terminal obeys, or that cannot be seen."""
    rest = SEQUENCE.sub("", raw.decode("utf-8"))
    return {
        c
        for c in set(rest)
        if c not in "\r\n"
        and c not in JOINERS
        and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }


def longest_cluster(raw: bytes) -> int:
    """The most combining marks that stand on one letter."""
    rest = SEQUENCE.sub("", raw.decode("utf-8"))
    return max((len(m) for m in re.findall(r"[\u0300-\u036f\u0483-\u0489]+", rest)), default=0)
