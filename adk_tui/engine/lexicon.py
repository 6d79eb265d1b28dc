"""The words and shapes that the offline model's rules know: English, few, and all in one place."""

import re

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

PREPOSITIONS = (
    "because of", "from", "to", "into", "in", "for", "of", "about", "on", "with", "at", "by",
    "near", "called", "named", "as", "via", "until", "since",
)  # fmt: skip
ARTICLES = r"(?:the|a|an|my|our|your|some|this|that)\s+"

REASONS = frozenset({"purpose", "reason", "cause", "why", "occasion"})

# Which prepositions lead to a parameter, by a word of its name. The first row that fits wins.
CUES: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset({"origin", "from", "source", "start", "departure", "sender"}), ("from",)),
    (
        frozenset({"destination", "to", "target", "arrival", "recipient", "goal"}),
        ("to", "into", "in"),
    ),
    (
        frozenset({"city", "location", "place", "country", "town", "region", "area"}),
        ("in", "for", "at", "near", "of", "to"),
    ),
    (REASONS, ("because of", "for", "about")),
    (
        frozenset({"company", "name", "title", "subject", "topic", "item", "product", "drink"}),
        ("called", "named", "of", "for", "about"),
    ),
)
ANY_CUE = ("of", "for", "in", "about", "called", "named", "on", "with", "at", "to", "from", "by")

CODES = frozenset({"symbol", "symbols", "ticker", "tickers", "currency", "iata", "code", "codes"})
DATES = frozenset({"date", "dates", "day", "when", "time", "deadline", "until", "since"})
COUNTS = frozenset({"quantity", "count", "qty", "number", "pieces"})
MONEY = frozenset({"amount", "price", "cost", "total", "budget", "sum", "value"})
FREE = frozenset({"request", "query", "question", "prompt", "input"})
BODY = frozenset({"text", "message", "content", "body", "document", "note", "comment"})
FLAG_FILLERS = frozenset({"is", "has", "with", "include", "includes", "use", "should", "enable"})
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = {word: value for value, word in enumerate(_COUNTED.split())}
NUMBER = re.compile(
    r"(?<![\w.,#-])-?(?:[$€£¥]\s?)?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w-]*[A-Za-z])(?!-\d)"
    r"|\b(?:" + "|".join(NUMBER_WORDS) + r")\b",
    re.IGNORECASE,
)
CURRENCY = re.compile(r"\s*(?:euros?|dollars?|pounds?|eur|usd|gbp|bucks)\b", re.IGNORECASE)
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}(?:\s+\d{{4}})?\b"
    rf"|\b{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
    r"|\b(?:day after tomorrow|today|tomorrow|tonight|yesterday)\b"
    r"|\b(?:next|this)\s+(?:week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
CODE = re.compile(r"(?<![\w&])\$?([A-Z]{1,5}(?:[.-][A-Z]{1,2})?)(?![\w'])")
ID = re.compile(r"#(\w[\w-]*)|(?<!\w)((?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]*)")
QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)")
SENTENCE_END = re.compile(rf"[,;:?!()\"{BLANK}]|\.(?=\s|$)|\b(?:please|and then)\b", re.IGNORECASE)
BOUNDARY = re.compile(
    rf"[,;:?!()\"{BLANK}]+|\.(?=\s|$)|\b(?:{'|'.join(PREPOSITIONS)}|please|and then)\b",
    re.IGNORECASE,
)
