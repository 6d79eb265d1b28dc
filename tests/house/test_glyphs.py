"""Every sign we draw is one that common terminal fonts have, else people see boxes."""

from adk_tui.core.sanitize import clean
from tests.conftest import REPOSITORY

# What DejaVu Sans Mono has of the blocks from General Punctuation to Miscellaneous Symbols
# and Arrows: the font most Linux terminals start with, and one with few signs.
_RANGES = """
    2000-200a 2010-2023 2026 202f-2037 2039-203a 203c-203f 2045-2049 204b 205f 2070-2071
    2074-208e 2090-209c 20a0-20b5 20b8-20ba 20bd 2102 2105 210d-210f 2115-2117 2119-211a 211d
    2122 2124 2126 212a-212b 212e 2148 2150-2151 2153-215f 2189 2190-2213 2215 2217-2220 2223
    2227-222d 2234-223d 2241-2269 226d-228b 228d-22a5 22b2-22b5 22b8 22c2-22c6 22cd-22d1
    22da-22e9 22ef 2300-2306 2308-2315 2318-2319 231c-2321 2325-2328 232b 2335-237a 237d
    2380-2383 2388-238b 2395 239b-23ae 23ce-23cf 2423 2500-262f 2638-268b 2690-269c 26a0-26a1
    26b0-26b1 2701-2704 2706-2709 270c-2727 2729-274b 274d 274f-2752 2756 2758-275e 2761-2775
    2794 2798-27af 27b1-27be 27c2 27c5-27c6 27dc 27e0 27e6-27eb 27f5-27f7 2987-2988 2997-2998
    29eb 29fa-29fb 2a00 2a2f 2a6a-2a6b 2b05-2b0d 2b12-2b1a
"""


def _has() -> set[int]:
    found: set[int] = {*range(0x20, 0x250), *range(0x391, 0x3CA)}
    for piece in _RANGES.split():
        first, _, last = piece.partition("-")
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return found


# What stands for control characters cannot be chosen.
PICTURES = {ord(c) for c in clean("".join(map(chr, (*range(9), *range(11, 32), 127))))}


def test_no_sign_is_missing_in_a_common_terminal_font() -> None:
    known = _has() | PICTURES
    missing = {
        (str(path.relative_to(REPOSITORY)), char)
        for path in (REPOSITORY / "adk_tui").rglob("*.py")
        for char in path.read_text(encoding="utf-8")
        if ord(char) not in known and char != "\n"
    }
    assert missing == set()
